import type { ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, chown, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Account, accountFor, EmbeddedPostgresError, findBinaries, spawnAs } from './binaries.js';

/** Milliseconds. After a crash, recovery reads at most max_wal_size of log, which is a gigabyte. */
const timeouts = { start: 60_000, stop: 30_000, connect: 10_000, poll: 20 };
/** sun_path of unix(7) takes 108 bytes, on macOS 104, the last of them zero. */
const longestSocketPath = 103;
const socketFile = '.s.PGSQL.5432';
const passwordFile = 'plant-store-password';
const logFile = 'postgres.log';

/** One PostgreSQL in a folder: made, started and stopped, by whichever process. */
export class Cluster {
  readonly #folder: string;
  readonly #data: string;
  readonly #account: Account;
  #sockets = '';
  #password = '';

  private constructor(folder: string, account: Account) {
    this.#folder = folder;
    this.#data = join(folder, 'postgres');
    this.#account = account;
  }

  /** Opens the cluster in `folder`, after making it where there is none. */
  static async open(folder: string): Promise<Cluster> {
    const cluster = new Cluster(folder, await accountFor(join(folder, 'postgres')));
    if (!(await exists(cluster.#data))) await cluster.#create();
    cluster.#password = await readFile(join(cluster.#data, passwordFile), 'utf8');
    cluster.#sockets = await makeSocketFolder(cluster.#data, cluster.#account);
    return cluster;
  }

  /** It listens on a Unix socket that only its own account can open, and asks for a password besides. */
  get url(): string {
    return `postgresql://plants:${this.#password}@/postgres?host=${encodeURIComponent(this.#sockets)}`;
  }

  /** Made beside its place and moved there whole, so that neither a crash nor a second start leaves half a cluster. */
  async #create(): Promise<void> {
    const { initdb } = await findBinaries();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = await mkdtemp(join(this.#folder, 'new-'));
    await chown(draft, this.#account.uid, this.#account.gid);
    const password = randomBytes(24).toString('base64url');
    const passwordDraft = `${draft}.password`;
    await writeFile(passwordDraft, password, { mode: 0o600 });
    const child = await this.#spawn(initdb, [
      `--pgdata=${draft}`,
      '--username=plants',
      `--pwfile=${passwordDraft}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
    ]);
    const [code] = await once(child, 'exit');
    await rm(passwordDraft);
    if (code !== 0) throw await this.#failure('initdb failed');
    await writeFile(join(draft, passwordFile), password, { mode: 0o600 });
    await rename(draft, this.#data).catch(async () => {
      // Another start was quicker; its cluster is as good.
      await rm(draft, { recursive: true });
    });
  }

  /**
   * Starts it, or finds it running.
   *
   * @throws {EmbeddedPostgresError} where PostgreSQL gives up, with what it said last
   */
  async start(): Promise<void> {
    const { postgres } = await findBinaries();
    const deadline = Date.now() + timeouts.start;
    let child: ChildProcess | undefined;
    while (!(await this.#answers())) {
      child ??= await this.#spawn(postgres, this.#serverParameters());
      await pause(timeouts.poll);
      // PostgreSQL lets one server at a time into a folder. Where another start was quicker, its server is
      // about to answer.
      if (
        (child.exitCode ?? child.signalCode) !== null &&
        !(await this.#lastWords()).includes('postmaster.pid')
      ) {
        throw await this.#failure('did not start');
      }
      if (Date.now() > deadline)
        throw await this.#failure(`did not answer within ${timeouts.start / 1000} s`);
    }
    child?.unref();
  }

  #serverParameters(): string[] {
    const settings = {
      listen_addresses: '',
      unix_socket_directories: this.#sockets,
      unix_socket_permissions: '0700',
    };
    return [
      '-D',
      this.#data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
  }

  /** Ends it in order ("fast shutdown" in PostgreSQL's words), or at once where that takes too long. */
  async stop(): Promise<void> {
    if (!(await this.#answers())) return;
    const pid = Number.parseInt(await readFile(join(this.#data, 'postmaster.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGINT');
    const deadline = Date.now() + timeouts.stop;
    while (await exists(join(this.#data, 'postmaster.pid'))) {
      if (Date.now() > deadline) return void process.kill(pid, 'SIGQUIT');
      await pause(timeouts.poll);
    }
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
      // 28P01 is a wrong password: somebody else's server, which no waiting will change.
      if (error instanceof pg.DatabaseError && error.code === '28P01') throw error;
      return false;
    }
  }

  /** Output goes to `postgres.log`, which outlives this process. */
  async #spawn(program: string, parameters: readonly string[]): Promise<ChildProcess> {
    const log = await open(join(this.#folder, logFile), 'a', 0o600);
    return spawnAs(this.#account, log.fd, program, parameters).finally(() => log.close());
  }

  async #lastWords(): Promise<string> {
    const log = await readFile(join(this.#folder, logFile), 'utf8');
    return log.trimEnd().split('\n').slice(-3).join('\n');
  }

  async #failure(what: string): Promise<EmbeddedPostgresError> {
    const words = await this.#lastWords();
    return new EmbeddedPostgresError(
      `The embedded PostgreSQL ${what}. ${join(this.#folder, logFile)} ends with:\n${words}`,
    );
  }
}

/** Beside the data, or where that path is too long for a socket, in the system's folder for temporary files. */
async function makeSocketFolder(data: string, { uid, gid }: Account): Promise<string> {
  if (join(data, socketFile).length <= longestSocketPath) return data;
  const folder = join(
    tmpdir(),
    `plant-store-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`,
  );
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Fails where somebody else has made the folder first.
  await chown(folder, uid, gid);
  return folder;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
