import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder that package.json is in, found from the sources and from dist/ alike, so that files
 * which are not compiled (the contract, the migrations) are read from one place.
 */
export const projectFolder = folderWithPackage(dirname(fileURLToPath(import.meta.url)));

export const contractFile = join(projectFolder, 'openapi', 'plants.yaml');

function folderWithPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : folderWithPackage(dirname(folder));
}
