import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectFolder } from '../project.js';

/**
 * Runs the server from the sources in a process of its own, so that a restart loads every module again. This
 * process holds the socket, so that the last good server can answer until the next one listens.
 */
export class DevServer {
  readonly #environment: NodeJS.ProcessEnv;
  #serving: Worker | undefined;
  #wanted = false;
  #isEnding = false;
  #turn: Promise<void> = Promise.resolve();

  /** @param databaseUrl the URL of a PostgreSQL that runs longer than the server */
  constructor(databaseUrl: string) {
    // A log line for each request would hide the verdicts.
    const forDevelopers = { LOG_LEVEL: 'warn', CHECK_ANSWERS: 'on', BREAKING_MIGRATIONS: 'apply' };
    const environment = { ...forDevelopers, DRAIN_SECONDS: '0', ...process.env };
    // Two servers run for a moment, and both would want the admin port.
    this.#environment = {
      ...environment,
      ADMIN_HOST: undefined,
      ADMIN_PORT: undefined,
      DATABASE_URL: databaseUrl,
    };
    cluster.setupPrimary({
      exec: join(projectFolder, 'src', 'main.ts'),
      execArgv: ['--import', import.meta.resolve('tsx')],
      cwd: projectFolder,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  /** Restarts in the background: the next save does not wait. Several calls may end in one restart. */
  restart(): void {
    this.#wanted = true;
    this.#turn = this.#turn.then(async () => {
      if (!this.#wanted) return;
      this.#wanted = false;
      await this.#replace();
    });
  }

  /** Stops the server after it has answered the requests in flight. */
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
      // The first event comes from the test of the port (packages/service/src/http/listening.ts).
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
      console.log(`The server ended (${code ?? signal}). The next save starts it again.`);
    });
    await end(last);
  }

  /** The server that did not start has printed the reason. */
  #failure(): string {
    const state = this.#serving === undefined ? 'No server is running' : 'The last good server keeps running';
    return `The new server does not start, for the reason above. ${state}. The next save tries again.`;
  }
}

async function end(worker: Worker | undefined): Promise<void> {
  if (worker === undefined || worker.isDead()) return;
  // Not worker.kill: it first closes the channel through which the worker returns the socket.
  worker.process.kill('SIGTERM');
  await once(worker, 'exit');
}
