import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { untilItListens } from './listens.js';
import type { Scope } from './scope.js';

/** Debian's; 1.18 in Debian 12, 1.24 in Debian 13. */
export const pgbouncerProgram = '/usr/sbin/pgbouncer';

/** A path of a socket must be short (unix(7)). */
const folders = tmpdir().length < 50 ? tmpdir() : '/tmp';

/** For example 1.18; NaN if it is not installed. */
export function pgbouncerVersion(program: string): number {
  const text = existsSync(program) ? execFileSync(program, ['--version'], { encoding: 'utf8' }) : '';
  return Number(/PgBouncer (\d+\.\d+)/.exec(text)?.[1]);
}

export interface PgbouncerOptions {
  readonly program: string;
  /** By TCP, or on a Unix socket whose folder pgbouncer can enter. */
  readonly databaseUrl: string;
  /** Settings in place of those in docs/operations/pgbouncer.ini. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** pgbouncer with docs/operations/pgbouncer.ini, on a Unix socket of its own. */
export class Pgbouncer {
  /** Of the database through it. */
  readonly url: string;
  readonly #folder: string;
  readonly #program: string;
  #child: ChildProcess | undefined;

  private constructor(url: string, folder: string, program: string) {
    this.url = url;
    this.#folder = folder;
    this.#program = program;
  }

  static async start(
    scope: Scope,
    { program, databaseUrl, settings = {} }: PgbouncerOptions,
  ): Promise<Pgbouncer> {
    const { username, password, pathname, hostname, port, searchParams } = new URL(databaseUrl);
    const folder = await mkdtemp(join(folders, 'bouncer-'));
    scope.teardown(() => rm(folder, { recursive: true }));
    const page = await readFile(join(projectFolder, 'docs', 'operations', 'pgbouncer.ini'), 'utf8');
    const here = { unix_socket_dir: folder, listen_addr: '', auth_type: 'any', ...settings };
    // As in every driver here, the parameters overrule.
    const host = searchParams.get('host') ?? hostname;
    const place = `host=${host} port=${searchParams.get('port') ?? port}`;
    const server = `${place} user=${username} password=${password}`;
    const file = join(folder, 'pgbouncer.ini');
    const known = pgbouncerVersion(program) < 1.21 ? page : page.replace(/^;max_prep/m, 'max_prep');
    await writeFile(file, changed(known, `* = ${server}`, here));
    // pgbouncer refuses to run as root; then it runs as nobody.
    for (const path of [folder, file]) await giveToUnprivileged(path);
    const url = `postgresql://any@localhost${pathname}?host=${encodeURIComponent(folder)}&port=6432`;
    const pgbouncer = new Pgbouncer(url, folder, program);
    scope.teardown(() => pgbouncer.#end());
    await pgbouncer.start();
    return pgbouncer;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Again, if it has ended. */
  async start(): Promise<void> {
    const child = spawn(this.#program, ['--quiet', join(this.#folder, 'pgbouncer.ini')], {
      ...account,
      stdio: 'ignore',
    });
    this.#child = child;
    await untilItListens(child, { path: join(this.#folder, '.s.PGSQL.6432') });
  }

  /** Resolves when it has ended, whatever ended it. */
  async ended(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  async #end(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.ended();
  }
}

const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Gives a file or folder to the account that runs pgbouncer, if that is not ours. */
export async function giveToUnprivileged(path: string): Promise<void> {
  if (account.uid !== undefined) await chown(path, account.uid, account.gid);
}

function changed(page: string, database: string, settings: Readonly<Record<string, string>>): string {
  const names = Object.keys(settings);
  const kept = page
    .split('\n')
    .filter((line) => !names.some((name) => line.startsWith(`${name} =`)) && !/^auth_file/.test(line))
    .join('\n')
    .replace(/^plants = host=\S+ port=\d+/m, database);
  return `${kept}${names.map((name) => `${name} = ${settings[name]}\n`).join('')}`;
}
