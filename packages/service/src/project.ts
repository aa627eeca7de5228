/**
 * Where the files of the project are, its version, and the name of its command. The same code runs from src/,
 * from dist/, and as an installed package.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The absolute path of the folder with package.json, whether this runs from src/ or from dist/. */
export const projectFolder = folderWithPackage(dirname(fileURLToPath(import.meta.url)));

/** The absolute path of the plant store's YAML. */
export const contractFile = join(projectFolder, 'openapi', 'plants.yaml');

export function readVersion(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(projectFolder, 'package.json'), 'utf8'),
  );
  return version;
}

function folderWithPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : folderWithPackage(dirname(folder));
}

/** The command with which the user of this program issues and revokes tokens. */
export const tokenCommand = tokenCommandOf(process.argv[1]);

/**
 * @param program the path by which it was started; npm and the image link `plant-store`
 * @returns the beginning of a command line, to which `issue OWNER` can be added
 */
export function tokenCommandOf(program = ''): string {
  if (!/^plant-store(?:\.js)?$/.test(basename(program))) return 'npm run --silent token --';
  const isLocal = dirname(program).endsWith(join('node_modules', '.bin'));
  return isLocal ? 'npx plant-store token' : 'plant-store token';
}
