/**
 * Makes and starts a PostgreSQL by programs of this machine. It has neither password nor TLS, so it is for
 * trying out only.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { account } from './account.js';

const startMs = 60_000;
const watchMs = 20;

interface InstalledOptions {
  /** The folder of initdb and postgres. */
  readonly programs: string;
  /** A folder of the account that runs PostgreSQL, for its data and its socket. */
  readonly folder: string;
  readonly port: number;
  /** Whether it listens on the loopback interface instead of a socket. */
  readonly isOnTcp?: boolean;
  /** Lines of postgresql.conf. */
  readonly settings: readonly string[];
}

/** The environment in which PostgreSQL's programs are found, without variables such as PGDATA. */
export function environmentOf(programs: string): NodeJS.ProcessEnv {
  return { LC_ALL: 'C', PATH: `${programs}:/usr/bin:/bin` };
}

export class InstalledPostgres {
  readonly folder: string;
  readonly data: string;
  readonly port: number;
  readonly #programs: string;
  readonly #isOnTcp: boolean;
  #server: ChildProcess | undefined;

  private constructor({ programs, folder, port, isOnTcp = false }: InstalledOptions) {
    this.folder = folder;
    this.data = join(folder, 'postgres');
    this.port = port;
    this.#programs = programs;
    this.#isOnTcp = isOnTcp;
  }

  /**
   * Makes a PostgreSQL, which does not run yet.
   *
   * @throws {Error} if initdb fails
   */
  static async create(options: InstalledOptions): Promise<InstalledPostgres> {
    const postgres = new InstalledPostgres(options);
    const { data, folder, port } = postgres;
    const kind = ['--username=plants', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
    await promisify(execFile)(
      join(options.programs, 'initdb'),
      ['--pgdata', data, ...kind],
      postgres.#spawnOptions(),
    );
    const [addresses, sockets] = options.isOnTcp ? ['127.0.0.1', ''] : ['', folder];
    const lines = [
      `port = ${port}`,
      `listen_addresses = '${addresses}'`,
      `unix_socket_directories = '${sockets}'`,
      ...options.settings,
    ];
    await appendFile(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
    return postgres;
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** @param port another port, such as that of a proxy in front of it */
  url(database = 'postgres', port = this.port): string {
    return this.#isOnTcp
      ? `postgresql://plants@127.0.0.1:${port}/${database}?sslmode=disable`
      : `postgresql://plants@/${database}?host=${encodeURIComponent(this.folder)}&port=${port}`;
  }

  /**
   * Starts it, also again after it has ended, and waits until it answers.
   *
   * @throws {Error} if it does not answer within 60 s
   */
  async start(): Promise<void> {
    const deadline = Date.now() + startMs;
    while (Date.now() < deadline) {
      // Processes that a killed server left behind may still hold its memory. Then the start fails at first.
      if (!isRunning(this.#server))
        this.#server = spawn(join(this.#programs, 'postgres'), ['-D', this.data], {
          stdio: 'ignore',
          ...this.#spawnOptions(),
        });
      if (await this.#answers()) return;
      await pause(watchMs);
    }
    throw new Error(`PostgreSQL in ${this.data} does not answer: start it by hand to see why.`);
  }

  /** Resolves when it does not run. */
  async ended(): Promise<void> {
    if (isRunning(this.#server)) await once(this.#server, 'exit');
  }

  /** Stops it, and waits for its end. SIGINT is a fast shutdown, SIGQUIT an immediate one. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    this.#server?.kill(signal);
    await this.ended();
  }

  #spawnOptions() {
    return { cwd: this.folder, env: environmentOf(this.#programs), ...account };
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url() });
    client.on('error', () => {});
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}
