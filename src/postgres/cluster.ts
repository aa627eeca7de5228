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

/** Milliseconds. After a crash, PostgreSQL replays at most max_wal_size of its log, which is a gigabyte. */
const timeouts = { start: 60_000, connect: 10_000, poll: 50 };
const passwordFile = 'plant-store-password';
const logFile = 'postgres.log';
const draftPrefix = 'new-';
/** With retries, because an initdb of another start, or of one that was interrupted, may still add files. */
const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

/** A PostgreSQL cluster in a folder: makes, starts and stops it. */
export class Cluster {
  readonly #folder: string;
  readonly #data: string;
  readonly #account: Account | undefined;
  #sockets = '';
  #password = '';
  /** The postmaster, if this process started it. */
  #server: ChildProcess | undefined;

  private constructor(folder: string, account: Account | undefined) {
    this.#folder = folder;
    this.#data = join(folder, 'postgres');
    this.#account = account;
  }

  /**
   * Opens the cluster in `folder`, and makes it first if there is none.
   *
   * @throws {EmbeddedPostgresError} if the folder cannot be used, or PostgreSQL's programs cannot be run
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

  /**
   * The Unix socket is open to one account only, and PostgreSQL asks for a password too. The URL sets the
   * port and TLS, because node-postgres would read them from variables such as PGPORT.
   */
  get url(): string {
    const sockets = encodeURIComponent(this.#sockets);
    return `postgresql://plants:${this.#password}@localhost/postgres?host=${sockets}&port=5432&sslmode=disable`;
  }

  /**
   * Makes the cluster beside its place and renames it, so that a crash or a second start never leaves half a
   * cluster.
   */
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
      // Another start may have made the cluster meanwhile, which is as good.
      if (!(await exists(this.#data))) throw error;
    } finally {
      await rm(draft, removal);
    }
  }

  /**
   * Removes drafts of starts that were killed. A start that is at work on its draft then opens this cluster.
   */
  async removeDrafts(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith(draftPrefix));
    await Promise.all(names.map((name) => rm(join(this.#folder, name), removal)));
  }

  /**
   * Starts PostgreSQL, or finds it running.
   *
   * @throws {EmbeddedPostgresError} with the end of its log, if it stops or does not answer in time
   */
  async start(timeoutMs = timeouts.start): Promise<void> {
    const { postgres } = await findBinaries();
    const deadline = Date.now() + timeoutMs;
    const before = await this.#logSize();
    let attempted = false;
    while (!(await this.#answers())) {
      if (!isRunning(this.#server)) {
        // PostgreSQL lets one server at a time into a folder. If another one is starting, it answers soon. If
        // another one is stopping, the next attempt succeeds.
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
      // The setting is a list, so a path with a comma needs quotes.
      unix_socket_directories: `"${this.#sockets.replaceAll('"', '""')}"`,
      unix_socket_permissions: '0700',
    };
    return [
      '-D',
      this.#data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
  }

  /** Stops PostgreSQL in order (a fast shutdown), even if it is still starting. */
  async stop(): Promise<void> {
    const pid = isRunning(this.#server) ? this.#server.pid : await this.#answeringPid();
    while (pid !== undefined && signal(pid, 'SIGINT') && (await exists(this.#pidFile))) {
      await pause(timeouts.poll);
    }
  }

  get #pidFile(): string {
    return join(this.#data, 'postmaster.pid');
  }

  /** The process id of a server that another process started; trusted only while the server answers. */
  async #answeringPid(): Promise<number | undefined> {
    return (await this.#answers()) ? Number.parseInt(await readFile(this.#pidFile, 'utf8'), 10) : undefined;
  }

  /** A connection that belongs to the caller. */
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
      // 28P01 is a wrong password, and waiting does not change that.
      if (!(error instanceof pg.DatabaseError) || error.code !== '28P01') return false;
      throw await this.#failure('does not take its own password');
    }
  }

  /** The program's output goes to `postgres.log`. */
  async #spawn(program: string, parameters: readonly string[]): Promise<ChildProcess> {
    const log = await open(join(this.#folder, logFile), 'a', 0o600);
    return spawnAs(this.#account, log.fd, program, parameters).finally(() => log.close());
  }

  async #logSize(): Promise<number> {
    return stat(join(this.#folder, logFile)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Whether PostgreSQL found another server in its folder, or processes of a killed one. */
  async #foundAnother(logSizeBefore: number): Promise<boolean> {
    const log = await readFile(join(this.#folder, logFile));
    return /postmaster\.pid|shared memory block/.test(log.toString('utf8', logSizeBefore));
  }

  async #failure(what: string): Promise<EmbeddedPostgresError> {
    const log = await readFile(join(this.#folder, logFile), 'utf8');
    const words = log.trimEnd().split('\n').slice(-3).join('\n');
    return new EmbeddedPostgresError(
      `The embedded PostgreSQL ${what}. ${join(this.#folder, logFile)} ends with:\n${words}`,
    );
  }
}

function isRunning(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

/** @returns whether there is still a process to send it to */
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
