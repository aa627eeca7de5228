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

/** Milliseconds. After a crash, recovery reads at most max_wal_size of log, which is a gigabyte. */
const timeouts = { start: 60_000, connect: 10_000, poll: 50 };
const passwordFile = 'plant-store-password';
const logFile = 'postgres.log';
const draftPrefix = 'new-';
/** With retries, because an initdb may still add files: of a start that came second, or that was interrupted. */
const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

/** One PostgreSQL in a folder: made, started and stopped, by whichever process. */
export class Cluster {
  readonly #folder: string;
  readonly #data: string;
  readonly #account: Account | undefined;
  #sockets = '';
  #password = '';
  /** Where this process started it. */
  #server: ChildProcess | undefined;

  private constructor(folder: string, account: Account | undefined) {
    this.#folder = folder;
    this.#data = join(folder, 'postgres');
    this.#account = account;
  }

  /**
   * Opens the cluster in `folder`, after making it where there is none.
   *
   * @throws {EmbeddedPostgresError} where the folder or PostgreSQL's programs do not allow it
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
   * It listens on a Unix socket that only its own account can open, and asks for a password besides. What
   * the URL leaves open, node-postgres would take from variables such as PGPORT.
   */
  get url(): string {
    const sockets = encodeURIComponent(this.#sockets);
    return `postgresql://plants:${this.#password}@localhost/postgres?host=${sockets}&port=5432&sslmode=disable`;
  }

  /** Made beside its place and moved there whole, so that neither a crash nor a second start leaves half a cluster. */
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
      // Another start may have been quicker; its cluster is as good.
      if (!(await exists(this.#data))) throw error;
    } finally {
      await rm(draft, removal);
    }
  }

  /** Removes what starts that were killed left of making a cluster. One that makes its own right now takes this one. */
  async removeDrafts(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith(draftPrefix));
    await Promise.all(names.map((name) => rm(join(this.#folder, name), removal)));
  }

  /**
   * Starts it, or finds it running.
   *
   * @throws {EmbeddedPostgresError} where PostgreSQL gives up, or stays silent for too long, with what it said last
   */
  async start(patience = timeouts.start): Promise<void> {
    const { postgres } = await findBinaries();
    const deadline = Date.now() + patience;
    const before = await this.#logSize();
    let attempted = false;
    while (!(await this.#answers())) {
      if (!isRunning(this.#server)) {
        // PostgreSQL lets one server at a time into a folder. Where one is just starting, it is about to
        // answer; where one is just ending, the next attempt gets in.
        if (attempted && !(await this.#foundAnother(before))) throw await this.#failure('did not start');
        this.#server = await this.#spawn(postgres, this.#serverParameters());
        this.#server.unref();
        attempted = true;
      }
      if (Date.now() > deadline) throw await this.#failure(`did not answer within ${patience / 1000} s`);
      await pause(timeouts.poll);
    }
  }

  #serverParameters(): string[] {
    const settings = {
      listen_addresses: '',
      // A list, whose quoted elements may have commas in them.
      unix_socket_directories: `"${this.#sockets.replaceAll('"', '""')}"`,
      unix_socket_permissions: '0700',
    };
    return [
      '-D',
      this.#data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
  }

  /** Ends it in order ("fast shutdown" in PostgreSQL's words), also while it is still starting. */
  async stop(): Promise<void> {
    const pid = isRunning(this.#server) ? this.#server.pid : await this.#answeringPid();
    while (pid !== undefined && signal(pid, 'SIGINT') && (await exists(this.#pidFile))) {
      await pause(timeouts.poll);
    }
  }

  get #pidFile(): string {
    return join(this.#data, 'postmaster.pid');
  }

  /** Of a server that another process started. A process id in a file is worth something only while the server answers. */
  async #answeringPid(): Promise<number | undefined> {
    return (await this.#answers()) ? Number.parseInt(await readFile(this.#pidFile, 'utf8'), 10) : undefined;
  }

  /** A connection of one's own. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: timeouts.connect });
    // The end of the connection is what matters, and has an event of its own.
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
      // 28P01 is a wrong password, which no waiting will change.
      if (!(error instanceof pg.DatabaseError) || error.code !== '28P01') return false;
      throw await this.#failure('does not take its own password');
    }
  }

  /** Output goes to `postgres.log`, which outlives this process. */
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

  /** Whether PostgreSQL found another server, or the processes of one that was killed, in its folder. */
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
