/** Where the files of the project are, for commands and tests. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The absolute path of the folder with package-lock.json, of which there is one for all packages. The tests run this
 * file compiled, from a folder below.
 */
export const projectFolder = folderWithLock(import.meta.dirname);

/** The absolute path of the plant store's YAML. */
export const contractFile = join(projectFolder, 'openapi', 'plants.yaml');

/** @returns the version of package.json, which is that of the program and of its packages */
export function readVersion(): string {
  const text = readFileSync(join(projectFolder, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

function folderWithLock(folder: string): string {
  return existsSync(join(folder, 'package-lock.json')) ? folder : folderWithLock(dirname(folder));
}
