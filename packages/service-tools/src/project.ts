/**
 * Where the project is that a command works on: npm runs the commands of a package in its folder. Its contract is the
 * YAML in openapi/, its generated files are in generated/, and its sources in src/.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The absolute path of the folder with package.json, in which or below which the command was started. */
export const projectFolder = folderWithPackage(process.cwd());

/** The absolute path of the project's contract, of which there is one. */
export const contractFile = join(projectFolder, 'openapi', contractName());

/** The absolute path of the folder of the generated files. */
export const generatedFolder = join(projectFolder, 'generated');

function contractName(): string {
  const folder = join(projectFolder, 'openapi');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.find((name) => /\.ya?ml$/.test(name) && !/\.rules\.ya?ml$/.test(name)) ?? 'openapi.yaml';
}

function folderWithPackage(folder: string): string {
  const above = dirname(folder);
  return existsSync(join(folder, 'package.json')) || above === folder ? folder : folderWithPackage(above);
}
