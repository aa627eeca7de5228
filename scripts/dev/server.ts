import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';

/** The server on the sources, in a process of its own: nothing that it has loaded outlives a restart. */
export class DevServer {
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #wanted = false;
  #turn: Promise<void> = Promise.resolve();

  /** @param databaseUrl of the PostgreSQL, which outlives the server */
  constructor(databaseUrl: string) {
    // The log of every request would push the verdicts out of sight.
    this.#environment = { LOG_LEVEL: 'warn', ...process.env, DATABASE_URL: databaseUrl };
  }

  /** In the background, and once for all that was asked meanwhile: the next save does not wait for it. */
  restart(): void {
    this.#wanted = true;
    this.#turn = this.#turn.then(async () => {
      if (!this.#wanted) return;
      this.#wanted = false;
      await this.#end();
      this.#start();
    });
  }

  /** Ends it in order: requests under way are answered. */
  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#turn;
    await this.#end();
  }

  #start(): void {
    // Answers are compared with the contract: see src/contract/response-check.ts.
    const child = spawn(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), join(projectFolder, 'src', 'main.ts'), '--check-answers'],
      { cwd: projectFolder, env: this.#environment, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    child.once('exit', (code) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      console.log(`The server ended (${code ?? 'killed'}); it is started again after the next save.`);
    });
    this.#child = child;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}
