import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';

/**
 * The server on the sources, in a process of its own: nothing that it has loaded outlives a restart. The socket is this
 * process's, so that the next server can start beside the last good one, which ends only once the next listens.
 */
export class DevServer {
  readonly #environment: NodeJS.ProcessEnv;
  #serving: Worker | undefined;
  #wanted = false;
  #isEnding = false;
  #turn: Promise<void> = Promise.resolve();

  /** @param databaseUrl of the PostgreSQL, which outlives the server */
  constructor(databaseUrl: string) {
    const environment = { LOG_LEVEL: 'warn', CHECK_ANSWERS: 'on', ...process.env };
    // The log of every request would push the verdicts out of sight. Two servers run at the same time for a
    // moment, and both would want the port.
    this.#environment = { ...environment, ADMIN_PORT: undefined, DATABASE_URL: databaseUrl };
    cluster.setupPrimary({
      exec: join(projectFolder, 'src', 'main.ts'),
      execArgv: ['--import', import.meta.resolve('tsx')],
      cwd: projectFolder,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  /** In the background, and once for all that was asked meanwhile: the next save does not wait for it. */
  restart(): void {
    this.#wanted = true;
    this.#turn = this.#turn.then(async () => {
      if (!this.#wanted) return;
      this.#wanted = false;
      await this.#replace();
    });
  }

  /** Ends it in order: requests under way are answered. */
  async stop(): Promise<void> {
    this.#wanted = false;
    this.#isEnding = true;
    await this.#turn;
    const last = this.#serving;
    this.#serving = undefined;
    await end(last);
  }

  async #replace(): Promise<void> {
    const next = cluster.fork(this.#environment);
    const listens = await new Promise<boolean>((resolve) => {
      let times = 0;
      // The first time, it only tries the port (src/start/listening.ts).
      next.on('listening', () => {
        times++;
        if (times === 2) resolve(true);
      });
      next.once('exit', () => resolve(false));
    });
    if (!listens) {
      if (!this.#isEnding) console.log(this.#failure());
      return;
    }
    const last = this.#serving;
    this.#serving = next;
    next.once('exit', (code, signal) => {
      if (this.#serving !== next) return;
      this.#serving = undefined;
      console.log(`The server ended (${code ?? signal}); it is started again after the next save.`);
    });
    await end(last);
  }

  /** The server that did not start has said why. */
  #failure(): string {
    const state = this.#serving === undefined ? 'There is no server' : 'The last good server goes on';
    return `${state}: what was saved does not start, for the reason above. It is tried again after the next save.`;
  }
}

async function end(worker: Worker | undefined): Promise<void> {
  if (worker === undefined || worker.isDead()) return;
  // Not worker.kill, which first takes the channel away by which the worker gives the socket back.
  worker.process.kill('SIGTERM');
  await once(worker, 'exit');
}
