/**
 * Builds Citus from its sources, beside a copy of PostgreSQL, so that the installed PostgreSQL stays as it
 * is.
 */
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope } from '../../../contract-tools/base.js';
import { run } from '../../../kit/index.js';

/** How long a step of the build may take. All of it takes four minutes on two busy cores. */
const maxBuildMs = 1_800_000;

/** Citus cannot be built on this machine. The message says why. */
export class MissingError extends Error {
  override readonly name = 'MissingError';
}

interface BuildOptions {
  /** The folder of an unpacked release of Citus. */
  readonly sources: string;
  /** The folder of Debian's PostgreSQL and its headers: /usr, or the one to which they were unpacked. */
  readonly prefix: string;
  /** The folder to build in, which is kept for later runs. */
  readonly folder: string;
}

/**
 * Builds Citus, unless that was done before.
 *
 * @returns the folder of PostgreSQL's programs
 * @throws {MissingError} if the sources, PostgreSQL or its headers are not there
 * @throws {ProgramError} if the build fails
 */
export async function buildCitus(cleanup: Scope, { sources, prefix, folder }: BuildOptions): Promise<string> {
  const version = newestVersion(join(prefix, 'lib/postgresql'));
  const built = join(folder, 'built');
  const programs = join(built, 'usr/lib/postgresql', version, 'bin');
  if (existsSync(built)) return programs;
  if (!existsSync(join(sources, 'configure')))
    throw new MissingError(`There are no sources of Citus in ${sources}.`);
  if (!existsSync(join(prefix, 'lib/postgresql', version, 'lib/pgxs'))) {
    throw new MissingError(
      `${prefix} lacks the headers of PostgreSQL ${version}: install postgresql-server-dev-${version}.`,
    );
  }
  const draft = join(folder, 'draft');
  await rm(folder, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const copied = [`lib/postgresql/${version}`, `share/postgresql/${version}`, 'include/postgresql'];
  for (const part of copied)
    await cp(join(prefix, part), join(draft, 'usr', part), { recursive: true, verbatimSymlinks: true });
  // A `configure` that is older than its source would be made again.
  await cp(sources, join(draft, 'citus'), { recursive: true, preserveTimestamps: true });
  await renameClashingFunction(join(draft, 'citus/src/include/pg_version_compat.h'));
  const inCitus = { cwd: join(draft, 'citus'), timeoutMs: maxBuildMs };
  // PostgreSQL's programs find their files from where they are.
  const config = `PG_CONFIG=${join(draft, 'usr/lib/postgresql', version, 'bin/pg_config')}`;
  await run(cleanup, './configure', ['--without-libcurl', config], inCitus);
  await run(cleanup, 'make', ['--jobs=2', 'install-extension', 'with_llvm=no', 'COPT=-Wno-error'], inCitus);
  await rename(draft, built);
  return programs;
}

/**
 * Gives a function of Citus another name. Since 15.20, the headers of PostgreSQL 15 declare
 * have_createdb_privilege, which Citus 13.2.2 defines as a static function, and the compiler refuses both
 * under one name.
 */
async function renameClashingFunction(header: string): Promise<void> {
  const text = await readFile(header, 'utf8');
  const definition = 'static inline bool\nhave_createdb_privilege(void)';
  const newName = '#define have_createdb_privilege citus_have_createdb_privilege';
  const renamed = `#include "commands/dbcommands.h"\n${newName}\n\n${definition}`;
  await writeFile(header, text.replace(definition, renamed));
}

function newestVersion(folder: string): string {
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9]+$/.test(name)) : [];
  const newest = versions.sort((one, other) => Number(one) - Number(other)).at(-1);
  if (newest === undefined) throw new MissingError(`There is no PostgreSQL of Debian's in ${folder}.`);
  return newest;
}
