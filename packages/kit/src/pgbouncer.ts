/** Starts pgbouncer with the file that docs/operations recommends, so that the page is tested with it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../../contract-tools/base.js';
import { account, giveToAccount } from './account.js';
import { makeFolder } from './folder.js';
import { untilItListens } from './listens.js';
import { projectFolder } from './project.js';

/** Debian puts pgbouncer here: version 1.18 in Debian 12, and 1.24 in Debian 13. */
export const pgbouncerProgram = '/usr/sbin/pgbouncer';

/** @returns the version as a number, such as 1.18; NaN if pgbouncer is not installed */
export function pgbouncerVersion(program: string): number {
  const text = existsSync(program) ? execFileSync(program, ['--version'], { encoding: 'utf8' }) : '';
  return Number(/PgBouncer (\d+\.\d+)/.exec(text)?.[1]);
}

interface PgbouncerOptions {
  readonly program: string;
  /** A database that is reached by TCP, or by a Unix socket in a folder that pgbouncer can enter. */
  readonly databaseUrl: string;
  /** Settings instead of those in docs/operations/pgbouncer.ini. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A pgbouncer, which listens on a Unix socket of its own. */
export class Pgbouncer {
  /** The URL by which the database is reached through it. */
  readonly url: string;
  readonly #folder: string;
  readonly #program: string;
  #child: ChildProcess | undefined;

  private constructor(url: string, folder: string, program: string) {
    this.url = url;
    this.#folder = folder;
    this.#program = program;
  }

  /**
   * Starts it, and ends it at the end of the scope.
   *
   * @throws {Error} if it ends before it listens
   */
  static async start(
    scope: Scope,
    { program, databaseUrl, settings = {} }: PgbouncerOptions,
  ): Promise<Pgbouncer> {
    const { username, password, pathname, hostname, port, searchParams } = new URL(databaseUrl);
    const folder = await makeFolder(scope);
    const page = await readFile(join(projectFolder, 'docs', 'operations', 'pgbouncer.ini'), 'utf8');
    const here = { unix_socket_dir: folder, listen_addr: '', auth_type: 'any', ...settings };
    // The parameters of the URL come first, as in every driver here.
    const host = searchParams.get('host') ?? hostname;
    const address = `host=${host} port=${searchParams.get('port') ?? port}`;
    const server = `${address} user=${username} password=${password}`;
    const file = join(folder, 'pgbouncer.ini');
    const known = pgbouncerVersion(program) < 1.21 ? page : page.replace(/^;max_prep/m, 'max_prep');
    await writeFile(file, changed(known, `* = ${server}`, here));
    // The account that runs pgbouncer must be able to read these.
    for (const path of [folder, file]) await giveToAccount(path);
    const url = `postgresql://any@localhost${pathname}?host=${encodeURIComponent(folder)}&port=6432`;
    const pgbouncer = new Pgbouncer(url, folder, program);
    scope.teardown(() => pgbouncer.end());
    await pgbouncer.start();
    return pgbouncer;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Starts it again after it has ended.
   *
   * @throws {Error} if it ends before it listens
   */
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

  /** Kills it, and waits for its end. */
  async end(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.ended();
  }
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
