/** Reads the SQL files of the migrations folders. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonForPeople } from '../errors/reason.js';
import { StartError } from '../errors/start.js';

/** A migration failed, is refused, or cannot be found. The message says which one, and what to do. */
export class MigrationError extends StartError {
  override readonly name = 'MigrationError';
}

interface Migration {
  /** The name of its file, by which a database knows that it is applied. */
  readonly name: string;
  readonly folder: string;
  readonly sql: string;
}

/**
 * Reads the migrations of all folders.
 *
 * @param folders the absolute paths of the folders
 * @returns the migrations in the order of their names
 * @throws {MigrationError} if a folder cannot be read, or two migrations have the same name
 */
export async function readMigrations(folders: readonly string[]): Promise<Migration[]> {
  const migrations = (await Promise.all(folders.map(readFolder))).flat();
  migrations.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const [at, { name, folder }] of migrations.entries()) {
    const next = migrations[at + 1];
    if (next?.name !== name) continue;
    throw new MigrationError(
      `${join(folder, name)} and ${join(next.folder, name)} have the same name, by which a migration is known: give the new one another number.`,
    );
  }
  return migrations;
}

async function readFolder(folder: string): Promise<Migration[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new MigrationError(
      `The migrations in ${folder} cannot be read: ${reasonForPeople(error)}. Make the folder, or mend the name of its resource in the list of resources.`,
    );
  });
  return Promise.all(
    names
      .filter((name) => name.endsWith('.sql'))
      .map(async (name) => ({ name, folder, sql: await readFile(join(folder, name), 'utf8') })),
  );
}
