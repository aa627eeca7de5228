import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  access,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Account, accountFor, EmbeddedPostgresError, findBinaries, spawnAs } from './binaries.js';
import { give, makeSocketFolder, socketFile } from './socket-folder.js';

/** Milliseconds. `start` includes crash recovery. */
const timeouts = { start: 60_000, connect: 10_000, poll: 50 };
const passwordFile = 'plant-store-password';
const draftPrefix = 'new-';
/** Another start's initdb may still add files. */
const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

export class Cluster {
  readonly #folder: string;
  readonly #data: string;
  readonly #account: Account | undefined;
  #sockets = '';
  #password = '';
  /** If this process started it. */
  #server: ChildProcess | undefined;

  private constructor(folder: string, account: Account | undefined) {
    this.#folder = folder;
    this.#data = join(folder, 'postgres');
    this.#account = account;
  }

  /**
   * Makes the cluster if there is none.
   *
   * @throws {EmbeddedPostgresError} if the folder or PostgreSQL's programs cannot be used
   */
  static async open(folder: string): Promise<Cluster> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const cluster = new Cluster(folder, await accountFor(join(folder, 'postgres')));
      if (!(await exists(cluster.#data))) await cluster.#create();
      cluster.#password = await readFile(join(cluster.#data, passwordFile), 'utf8');
      cluster.#sockets = await makeSocketFolder(cluster.#data, cluster.#account);
      return cluster;
    } catch (error) {
      if (!(error instanceof Error) || !('syscall' in error)) throw error;
      throw new EmbeddedPostgresError(
        `DATA_DIR is ${folder}, which cannot hold the database: ${error.message}.`,
      );
    }
  }

  get logFile(): string {
    return join(this.#folder, 'postgres.log');
  }

  /** Without port and sslmode, node-postgres reads variables such as PGPORT. */
  get url(): string {
    const sockets = encodeURIComponent(this.#sockets);
    return `postgresql://plants:${this.#password}@localhost/postgres?host=${sockets}&port=5432&sslmode=disable`;
  }

  /** A crash before the last rename leaves only a draft. */
  async #create(): Promise<void> {
    const { initdb } = await findBinaries();
    const draft = await mkdtemp(join(this.#folder, draftPrefix));
    const data = join(draft, 'data');
    const password = join(draft, passwordFile);
    try {
      await mkdir(data, { mode: 0o700 });
      await give(data, this.#account);
      await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
      const child = await this.#spawn(initdb, [
        `--pgdata=${data}`,
        '--username=plants',
        `--pwfile=${password}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
      ]);
      if (isRunning(child)) await once(child, 'exit');
      if (child.exitCode !== 0) throw await this.#failure('could not be made');
      await rename(password, join(data, passwordFile));
      await rename(data, this.#data);
    } catch (error) {
      // Another start may have made it.
      if (!(await exists(this.#data))) throw error;
    } finally {
      await rm(draft, removal);
    }
  }

  /** Another start that loses its draft opens this cluster instead. */
  async removeDrafts(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith(draftPrefix));
    await Promise.all(names.map((name) => rm(join(this.#folder, name), removal)));
  }

  /** @throws {EmbeddedPostgresError} if PostgreSQL stops or does not answer in time */
  async start(timeoutMs = timeouts.start): Promise<void> {
    const { postgres } = await findBinaries();
    const deadline = Date.now() + timeoutMs;
    const before = await this.#logSize();
    let attempted = false;
    while (!(await this.#answers())) {
      if (!isRunning(this.#server)) {
        // If another server holds the folder, it will answer or stop.
        if (attempted && !(await this.#foundAnother(before))) throw await this.#failure('did not start');
        this.#server = await this.#spawn(postgres, this.#serverParameters());
        this.#server.unref();
        attempted = true;
      }
      if (Date.now() > deadline) throw await this.#failure(`did not answer within ${timeoutMs / 1000} s`);
      await pause(timeouts.poll);
    }
  }

  #serverParameters(): string[] {
    const settings = {
      listen_addresses: '',
      // A list: commas need quotes.
      unix_socket_directories: `"${this.#sockets.replaceAll('"', '""')}"`,
      unix_socket_permissions: '0700',
    };
    return [
      '-D',
      this.#data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
  }

  /** A fast shutdown, even while PostgreSQL starts. */
  async stop(): Promise<void> {
    const pid = isRunning(this.#server) ? this.#server.pid : await this.#answeringPid();
    while (pid !== undefined && signal(pid, 'SIGINT') && (await exists(this.#pidFile))) {
      await pause(timeouts.poll);
    }
  }

  /**
   * Turns a smart shutdown (SIGTERM), which waits for sessions, into a fast one. Call it only with a session
   * open: otherwise the file may name another process.
   */
  async hastenShutdown(): Promise<void> {
    const file = await readFile(this.#pidFile, 'utf8').catch(() => '');
    const [pid, , , , , , , state = ''] = file.split('\n');
    // Padded (PostgreSQL's src/include/utils/pidfile.h).
    if (state.trimEnd() === 'stopping') signal(Number(pid), 'SIGINT');
  }

  get #pidFile(): string {
    return join(this.#data, 'postmaster.pid');
  }

  /** The file may be stale unless a server answers. */
  async #answeringPid(): Promise<number | undefined> {
    return (await this.#answers()) ? Number.parseInt(await readFile(this.#pidFile, 'utf8'), 10) : undefined;
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: timeouts.connect });
    // The caller listens for "end" instead.
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async #answers(): Promise<boolean> {
    if (!(await exists(join(this.#sockets, socketFile)))) return false;
    try {
      const client = await this.connect();
      await client.end();
      return true;
    } catch (error) {
      // Waiting does not cure a wrong password (28P01).
      if (!(error instanceof pg.DatabaseError) || error.code !== '28P01') return false;
      throw await this.#failure('does not take its own password');
    }
  }

  async #spawn(program: string, parameters: readonly string[]): Promise<ChildProcess> {
    const log = await open(this.logFile, 'a', 0o600);
    return spawnAs(this.#account, log.fd, program, parameters).finally(() => log.close());
  }

  async #logSize(): Promise<number> {
    return stat(this.logFile).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Another server, or processes that a killed one left. */
  async #foundAnother(logSizeBefore: number): Promise<boolean> {
    const log = await readFile(this.logFile);
    return /postmaster\.pid|shared memory block/.test(log.toString('utf8', logSizeBefore));
  }

  async #failure(what: string): Promise<EmbeddedPostgresError> {
    const log = await readFile(this.logFile, 'utf8');
    const words = log.trimEnd().split('\n').slice(-3).join('\n');
    return new EmbeddedPostgresError(`The embedded PostgreSQL ${what}. ${this.logFile} ends with:\n${words}`);
  }
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

/** @returns whether the process exists */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
