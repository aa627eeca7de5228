import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, from src/ or dist/. */
export const projectFolder = folderWithPackage(dirname(fileURLToPath(import.meta.url)));

export const contractFile = join(projectFolder, 'openapi', 'plants.yaml');

function folderWithPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : folderWithPackage(dirname(folder));
}
