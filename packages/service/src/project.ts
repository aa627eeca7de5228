/**
 * Where the files of a program are, its name and its version. The same code runs from the sources, compiled into
 * dist/, and as an installed package, so a folder that was compiled is looked for beside its source.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

/** What package.json says of a program. */
export interface Project {
  /** The name without its scope, such as `plant-store`. */
  readonly name: string;
  readonly version: string;
}

/**
 * Reads the package.json of a program.
 *
 * @param folder the absolute path of the folder with package.json, or of one below it
 * @throws {Error} of Node.js, if no folder above has a package.json
 */
export function readProject(folder: string): Project {
  const { name, version }: Project = JSON.parse(
    readFileSync(join(folderWithPackage(folder), 'package.json'), 'utf8'),
  );
  return { name: basename(name), version };
}

/**
 * Finds the source of a folder, where the files are that the compiler does not copy, such as migrations.
 *
 * @param folder the absolute path of a folder of sources, or of the one in dist/ that it was compiled to
 */
export function sourceFolder(folder: string): string {
  const root = folderWithPackage(folder);
  const [first, ...rest] = relative(root, folder).split(sep);
  return first === 'dist' ? join(root, ...rest) : folder;
}

function folderWithPackage(folder: string): string {
  const above = dirname(folder);
  return existsSync(join(folder, 'package.json')) || above === folder ? folder : folderWithPackage(above);
}

/** The command with which the user of this program issues and revokes tokens. */
export const tokenCommand = tokenCommandOf(process.argv[1]);

/**
 * @param program the path by which it was started; npm and an image link it by a name, such as `plant-store`
 * @returns the beginning of a command line, to which `issue OWNER` can be added
 */
export function tokenCommandOf(program = ''): string {
  const name = basename(program);
  if (name === '' || /\.[jt]s$/.test(name)) return 'npm run --silent token --';
  const isLocal = dirname(program).endsWith(join('node_modules', '.bin'));
  return isLocal ? `npx ${name} token` : `${name} token`;
}
