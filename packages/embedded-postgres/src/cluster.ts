/**
 * The embedded PostgreSQL: its files under DATA_DIR, and the server that runs on them.
 *
 * `npm ci && npm start` has to serve on a bare machine, so the service brings a PostgreSQL along. Several
 * things can go wrong that no PostgreSQL of a system has to fear: two starts may make the same cluster at
 * once, a start may be killed in the middle of initdb, a killed service leaves its PostgreSQL running, and
 * another program may stop it at any moment.
 *
 * So this file takes only steps that can be repeated by anybody:
 *
 * 1. `open` makes the cluster if there is none: initdb fills a draft, `new-…/data`, and the last step renames
 *    it to `postgres`. Only one start wins the rename, and the others open the cluster of the winner. A crash
 *    before leaves a draft, which `removeDrafts` removes later.
 * 2. The password is random, and lies in the cluster. Nobody listens on TCP: clients come over a socket in a
 *    folder that only this account can enter (socket-folder.ts).
 * 3. `start` first asks whether a server answers. If one does, a killed service has left it, or a command has
 *    started it, and it is used. If none does, `start` spawns one. If that one ends because another server
 *    has the folder, `start` tries again, until one answers or a minute has passed.
 * 4. `stop` sends SIGINT, PostgreSQL's fast shutdown, until `postmaster.pid` is gone.
 *
 * For example, two `npm start` in the same folder begin together. Both run initdb, one rename fails, and both
 * find the same `postgres`. Both spawn a server, and the second one of them ends, because the first has the
 * lock file. Both get an answer from the first. embedded.ts then decides by a lock in the database which of
 * them may serve.
 *
 * The cost: the first start takes some seconds for initdb.
 */
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

/** The time for a start, in which PostgreSQL may have to recover from a crash. */
const startTimeoutMs = 60_000;
const connectTimeoutMs = 10_000;
const pollMs = 50;
const passwordFile = 'plant-store-password';
const draftPrefix = 'new-';
/** What to do about reasons that PostgreSQL writes into its log without a remedy. */
const remedies: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [
    /could not look up effective user ID/,
    'PostgreSQL needs a user with a name: give this user ID a line in /etc/passwd, or set DATABASE_URL to a PostgreSQL.',
  ],
  [
    /database files are incompatible with server/,
    'Another version of PostgreSQL has made these files: move what is in them as docs/operations/backup.md says ' +
      '("Another version"), or set DATA_DIR to another folder.',
  ],
];
const otherRemedy = 'If that cannot be mended, set DATABASE_URL to a PostgreSQL of your own.';

/** Removes a folder with retries, because the initdb of another start may still add files to it. */
const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

/** A cluster under DATA_DIR. `open` makes one. */
export class Cluster {
  readonly #folder: string;
  readonly #data: string;
  readonly #account: Account | undefined;
  #sockets = '';
  #password = '';
  /** The server, if this process has started it. */
  #server: ChildProcess | undefined;

  private constructor(folder: string, account: Account | undefined) {
    this.#folder = folder;
    this.#data = join(folder, 'postgres');
    this.#account = account;
  }

  /**
   * Opens the cluster of a folder, and makes one if there is none.
   *
   * @param folder the absolute path of DATA_DIR
   * @throws {EmbeddedPostgresError} if the folder or PostgreSQL's programs cannot be used
   */
  static async open(folder: string): Promise<Cluster> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const cluster = new Cluster(folder, await accountFor(join(folder, 'postgres')));
      if (!(await exists(cluster.#data))) await cluster.#create();
      cluster.#password = await readFile(join(cluster.#data, passwordFile), 'utf8');
      cluster.#sockets = await makeSocketFolder(cluster.#data, cluster.#account, cluster.#password);
      return cluster;
    } catch (error) {
      if (!(error instanceof Error) || !('syscall' in error)) throw error;
      throw new EmbeddedPostgresError(
        `DATA_DIR is ${folder}, which cannot hold the database: ${error.message}. Set it to another folder.`,
      );
    }
  }

  /** The path of the file with what PostgreSQL and initdb print. */
  get logFile(): string {
    return join(this.#folder, 'postgres.log');
  }

  /**
   * A URL for node-postgres. It has port and sslmode, because node-postgres would take them from PGPORT and
   * PGSSLMODE.
   */
  get url(): string {
    const sockets = encodeURIComponent(this.#sockets);
    return `postgresql://plants:${this.#password}@localhost/postgres?host=${sockets}&port=5432&sslmode=disable`;
  }

  /** Makes the cluster as a draft, and renames it in the end, so that there is never half a cluster. */
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
      // If another start has made the cluster meanwhile, its one is as good.
      if (!(await exists(this.#data))) throw error;
    } finally {
      await rm(draft, removal);
    }
  }

  /** Removes all drafts. A start that loses its draft opens this cluster instead. */
  async removeDrafts(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.startsWith(draftPrefix));
    await Promise.all(names.map((name) => rm(join(this.#folder, name), removal)));
  }

  /**
   * Waits until a PostgreSQL answers, and starts one if none does.
   *
   * @throws {EmbeddedPostgresError} if PostgreSQL stops, or does not answer in time
   */
  async start(timeoutMs = startTimeoutMs): Promise<void> {
    const { postgres } = await findBinaries();
    const deadline = Date.now() + timeoutMs;
    const before = await this.#logSize();
    let hasTried = false;
    while (!(await this.#answers())) {
      if (!isRunning(this.#server)) {
        // If another server has the folder, it will answer or stop.
        if (hasTried && !(await this.#foundAnother(before))) throw await this.#failure('did not start');
        this.#server = await this.#spawn(postgres, this.#serverParameters());
        this.#server.unref();
        hasTried = true;
      }
      if (Date.now() > deadline) throw await this.#failure(`did not answer within ${timeoutMs / 1000} s`);
      await pause(pollMs);
    }
  }

  #serverParameters(): string[] {
    const settings = {
      listen_addresses: '',
      // The setting is a list, so a comma in the path needs quotes around it.
      unix_socket_directories: `"${this.#sockets.replaceAll('"', '""')}"`,
      unix_socket_permissions: '0700',
    };
    return [
      '-D',
      this.#data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
  }

  /**
   * Stops PostgreSQL by a fast shutdown, also if it is still starting, and waits for its end.
   *
   * @throws {EmbeddedPostgresError} if a server is there that does not take the password
   */
  async stop(): Promise<void> {
    const pid = isRunning(this.#server) ? this.#server.pid : await this.#answeringPid();
    while (pid !== undefined && signal(pid, 'SIGINT') && (await exists(this.#pidFile))) {
      await pause(pollMs);
    }
  }

  /**
   * If somebody has sent PostgreSQL a SIGTERM, it waits for its sessions to end, and ours would not. This
   * makes it a fast shutdown. Call it only with a session open: otherwise the file may name another process.
   */
  async hastenShutdown(): Promise<void> {
    const file = await readFile(this.#pidFile, 'utf8').catch(() => '');
    const [pid, , , , , , , state = ''] = file.split('\n');
    // PostgreSQL pads the state with spaces (src/include/utils/pidfile.h).
    if (state.trimEnd() === 'stopping') signal(Number(pid), 'SIGINT');
  }

  get #pidFile(): string {
    return join(this.#data, 'postmaster.pid');
  }

  /**
   * @returns the process id of a server that answers; undefined if none does, because the file may be left
   * from one that was killed
   */
  async #answeringPid(): Promise<number | undefined> {
    return (await this.#answers()) ? Number.parseInt(await readFile(this.#pidFile, 'utf8'), 10) : undefined;
  }

  /**
   * Opens a connection, which the caller closes.
   *
   * @throws {Error} of pg, if no server answers
   */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: connectTimeoutMs });
    // An "error" without a listener would end the process. The caller listens for "end" instead.
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  /**
   * @returns whether a server takes connections
   * @throws {EmbeddedPostgresError} if it does not take the password
   */
  async #answers(): Promise<boolean> {
    if (!(await exists(join(this.#sockets, socketFile)))) return false;
    try {
      const client = await this.connect();
      await client.end();
      return true;
    } catch (error) {
      // While PostgreSQL starts, it is worth waiting. A wrong password (28P01) will not become right.
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

  /**
   * @returns whether the server that we started has ended because another one, or what a killed one left, has
   * the folder
   */
  async #foundAnother(logSizeBefore: number): Promise<boolean> {
    const log = await readFile(this.logFile);
    return /postmaster\.pid|shared memory block/.test(log.toString('utf8', logSizeBefore));
  }

  async #failure(what: string): Promise<EmbeddedPostgresError> {
    const log = await readFile(this.logFile, 'utf8');
    const words = log.trimEnd().split('\n').slice(-3).join('\n');
    const [, remedy = otherRemedy] = remedies.find(([reason]) => reason.test(words)) ?? [];
    return new EmbeddedPostgresError(
      `The embedded PostgreSQL ${what}. ${this.logFile} ends with:\n${words}\n${remedy}`,
    );
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
