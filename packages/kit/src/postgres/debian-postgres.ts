/**
 * Starts the PostgreSQL that Debian's packages install, for tests that need settings or programs which the
 * embedded one lacks.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { account, giveToAccount } from '../account.js';
import { makeFolder } from '../folder.js';
import { environmentOf, InstalledPostgres } from '../installed-postgres.js';

const run = promisify(execFile);
/** Debian's packages put each major version into a folder of its own here. */
const versions = '/usr/lib/postgresql';
const [version = ''] = existsSync(versions) ? readdirSync(versions).sort().reverse() : [];
/** The folder of the programs of its newest version. */
export const programs = join(versions, version, 'bin');

/** The newest major version, such as "17"; empty if none is installed. */
export const debianVersion = version;
/** The reason to skip tests with it on this machine; false if they can run. */
export const withoutDebianPostgres = version === '' && "Debian's PostgreSQL is not installed";

/** An environment in which Debian's programs are found, without variables such as PGDATA. */
export const debianEnvironment = environmentOf(programs);

/**
 * Runs a program to its end in the account of PostgreSQL.
 *
 * @param folder the working folder, which is the account's home, too
 * @param environment added to Debian's
 * @returns what the program printed to stdout
 * @throws {Error} of Node.js if the program cannot start, or does not exit with 0
 */
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
 * @throws {Error} if initdb fails
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
