/** Where the files of the project are, for commands and tests. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The absolute path of the folder with package.json. The tests run this file compiled, from a folder below. */
export const projectFolder = folderWithPackage(import.meta.dirname);

/** The absolute path of the plant store's YAML. */
export const contractFile = join(projectFolder, 'openapi', 'plants.yaml');

function folderWithPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : folderWithPackage(dirname(folder));
}
