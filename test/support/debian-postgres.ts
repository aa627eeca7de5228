import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { temporaryFolder, until } from './process.js';

const run = promisify(execFile);
/** Debian's packages put each major version into a folder of its own here. */
const versions = '/usr/lib/postgresql';
const [version = ''] = existsSync(versions) ? readdirSync(versions).sort().reverse() : [];
export const programs = join(versions, version, 'bin');

export const debianVersion = version;
export const withoutDebianPostgres = version === '' && "Debian's PostgreSQL is not installed";

/** PostgreSQL refuses root. Then it runs as nobody. */
export const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Environment in which Debian's programs are found, and no variables such as PGDATA. */
export const debianEnvironment = { LC_ALL: 'C', PATH: `${programs}:/usr/bin:/bin` };

/** A folder of the account that runs PostgreSQL. It is removed when the test ends. */
async function makeAccountFolder(t: Pick<Test, 'teardown'>): Promise<string> {
  const folder = await mkdtemp(join(temporaryFolder, 'debian-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid);
  return folder;
}

/** Runs a program in the account of PostgreSQL. @returns its stdout */
export async function runAsAccount(
  folder: string,
  [program = '', ...parameters]: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const env = { ...debianEnvironment, HOME: folder, ...environment };
  const { stdout } = await run(program, parameters, { cwd: folder, env, ...account });
  return stdout;
}

/** A cluster with data and sockets in a folder of its own. It does not run yet. */
export class DebianCluster {
  readonly folder: string;
  readonly data: string;
  readonly port: number;
  readonly #t: Pick<Test, 'teardown'>;
  #stop: (signal: NodeJS.Signals) => Promise<void> = async () => {};

  private constructor(t: Pick<Test, 'teardown'>, folder: string, port: number) {
    this.#t = t;
    this.port = port;
    this.folder = folder;
    this.data = join(folder, 'postgres');
  }

  /** @param settings lines of postgresql.conf */
  static async create(
    t: Pick<Test, 'teardown'>,
    { port = 5432, settings = [] }: { port?: number; settings?: readonly string[] } = {},
  ): Promise<DebianCluster> {
    const cluster = new DebianCluster(t, await makeAccountFolder(t), port);
    const { data, folder } = cluster;
    await runAsAccount(folder, ['initdb', '-D', data, '-U', 'plants', '-A', 'trust', '-E', 'UTF8']);
    const place = [`unix_socket_directories = '${folder}'`, `port = ${port}`, "listen_addresses = ''"];
    const lines = [...place, ...settings];
    await appendFile(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
    return cluster;
  }

  url(port = this.port, database = 'postgres'): string {
    return `postgresql://plants@/${database}?host=${encodeURIComponent(this.folder)}&port=${port}`;
  }

  async start(): Promise<void> {
    const server = spawn(join(programs, 'postgres'), ['-D', this.data], {
      cwd: this.folder,
      env: debianEnvironment,
      stdio: 'ignore',
      ...account,
    });
    const ended = once(server, 'exit');
    this.#stop = async (signal) => {
      server.kill(signal);
      await ended;
    };
    this.#t.teardown(() => this.stop());
    await until('PostgreSQL listens', () => {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}.`);
      return existsSync(join(this.folder, `.s.PGSQL.${this.port}`));
    });
    await until('it answers', () =>
      runAsAccount(this.folder, ['psql', this.url(), '--command=SELECT']).then(
        () => true,
        () => false,
      ),
    );
  }

  /** SIGINT is a fast shutdown, SIGQUIT an immediate one. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    await this.#stop(signal);
  }
}
