/** One PostgreSQL of a cluster, on the loopback interface, with neither password nor TLS: for trying out. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { childrenOf } from '../survive/processes.js';

const run = promisify(execFile);
/** PostgreSQL refuses to run as root. If we are root, it runs as nobody. */
export const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const startMs = 30_000;
const watchMs = 20;
/** The unit of utime and stime in proc(5), on Linux. */
const ticksPerSecond = 100;

export interface NodeOptions {
  readonly programs: string;
  readonly folder: string;
  readonly port: number;
  /** Lines of postgresql.conf. */
  readonly settings: readonly string[];
}

export class PostgresNode {
  readonly #options: NodeOptions;
  #server: ChildProcess | undefined;
  #stopping = false;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(options: NodeOptions) {
    this.#options = options;
  }

  /** Makes and starts a PostgreSQL with the empty database "plants". It is started again whenever it ends. */
  static async start(options: NodeOptions): Promise<PostgresNode> {
    const { programs, folder, port, settings } = options;
    const node = new PostgresNode(options);
    const kind = ['--username=plants', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
    await run(join(programs, 'initdb'), ['--pgdata', folder, ...kind], account);
    const lines = [
      ...[`port = ${port}`, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''"],
      ...settings,
    ];
    await appendFile(join(folder, 'postgresql.conf'), `${lines.join('\n')}\n`);
    await node.#start();
    await node.ask('CREATE DATABASE plants', 'postgres');
    node.#keeping = node.#keep();
    return node;
  }

  get port(): number {
    return this.#options.port;
  }

  get url(): string {
    return `postgresql://plants@127.0.0.1:${this.port}/plants?sslmode=disable`;
  }

  async ask<Row extends pg.QueryResultRow>(text: string, database = 'plants'): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url.replace('/plants?', `/${database}?`) });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Kills all its processes at once. */
  async kill(): Promise<void> {
    const pid = this.#server?.pid;
    const pids = pid === undefined ? [] : [pid, ...(await childrenOf(pid))];
    for (const one of pids) {
      try {
        process.kill(one, 'SIGKILL');
      } catch {
        // The process has ended already.
      }
    }
  }

  /** @returns the CPU time of all its processes so far, those that have ended included */
  async cpuSeconds(): Promise<number> {
    const pid = this.#server?.pid ?? 0;
    const pids = [pid, ...(await childrenOf(pid))];
    const times = await Promise.all(pids.map((one) => ticksOf(one, one === pid)));
    return times.reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#server?.kill('SIGQUIT');
    await this.#keeping;
  }

  async #start(): Promise<void> {
    const { programs, folder } = this.#options;
    this.#server = spawn(join(programs, 'postgres'), ['-D', folder], { stdio: 'ignore', ...account });
    const deadline = Date.now() + startMs;
    while (Date.now() < deadline && !this.#stopping) {
      const isUp = await this.ask('SELECT 1', 'postgres').then(
        () => true,
        () => false,
      );
      if (isUp) return;
      // Processes that a killed server left behind may still hold its memory.
      if (hasEnded(this.#server)) {
        this.#server = spawn(join(programs, 'postgres'), ['-D', folder], { stdio: 'ignore', ...account });
      }
      await pause(watchMs);
    }
    if (!this.#stopping) throw new Error(`PostgreSQL in ${folder} does not answer.`);
  }

  async #keep(): Promise<void> {
    while (!this.#stopping) {
      if (this.#server !== undefined && !hasEnded(this.#server)) await once(this.#server, 'exit');
      if (!this.#stopping) await this.#start();
    }
    if (this.#server !== undefined && !hasEnded(this.#server)) {
      this.#server.kill('SIGQUIT');
      await once(this.#server, 'exit');
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** @param ended whether children that have ended count, too */
export async function ticksOf(pid: number, ended: boolean): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name, in parentheses, may contain spaces; the state follows it.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return stat === '' ? 0 : user + system + (ended ? endedUser + endedSystem : 0);
}
