import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { account, giveToAccount } from '../../../scripts/kit/account.js';
import { makeFolder } from '../../../scripts/kit/folder.js';
import { environmentOf, InstalledPostgres } from '../../../scripts/kit/installed-postgres.js';

const run = promisify(execFile);
/** Debian's packages put each major version into a folder of its own here. */
const versions = '/usr/lib/postgresql';
const [version = ''] = existsSync(versions) ? readdirSync(versions).sort().reverse() : [];
export const programs = join(versions, version, 'bin');

export const debianVersion = version;
export const withoutDebianPostgres = version === '' && "Debian's PostgreSQL is not installed";

/** Environment in which Debian's programs are found, and no variables such as PGDATA. */
export const debianEnvironment = environmentOf(programs);

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

/**
 * Makes a PostgreSQL in a folder of its own, which does not run yet. It stops when the test ends.
 *
 * @param settings lines of postgresql.conf
 */
export async function createDebianPostgres(
  t: Pick<Test, 'teardown'>,
  { port = 5432, settings = [] }: { port?: number; settings?: readonly string[] } = {},
): Promise<InstalledPostgres> {
  const folder = await makeFolder(t);
  await giveToAccount(folder);
  const postgres = await InstalledPostgres.create({ programs, folder, port, settings });
  t.teardown(() => postgres.stop());
  return postgres;
}
