import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** From src/ or dist/. */
export const projectFolder = folderWithPackage(dirname(fileURLToPath(import.meta.url)));

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
