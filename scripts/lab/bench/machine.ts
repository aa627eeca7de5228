import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * The paths of programs that some contestants and measures need. A program that this machine lacks is
 * undefined.
 */
export interface Tools {
  readonly wrk: string | undefined;
  readonly go: string | undefined;
  readonly psql: string | undefined;
}

export async function findTools(): Promise<Tools> {
  const [wrk, go, psql] = await Promise.all(['wrk', 'go', 'psql'].map(find));
  return { wrk, go, psql };
}

async function find(name: string): Promise<string | undefined> {
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...(await debianFolders())]) {
    const file = join(folder, name);
    if (folder !== '' && (await isProgram(file))) return file;
  }
  return undefined;
}

/**
 * The folders of PostgreSQL's programs, which Debian keeps out of the PATH. The newest version comes last.
 */
async function debianFolders(): Promise<string[]> {
  const folder = '/usr/lib/postgresql';
  const versions = await readdir(folder).catch(() => []);
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(folder, version, 'bin'));
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** One line about the machine that was measured. */
export function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() || process.arch;
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${processor}), ${memory} GiB, ${process.platform} ${release()}, Node.js ${process.version}`;
}
