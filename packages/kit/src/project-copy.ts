/** Copies the project, so that a test can try edits and run the project's own commands on them. */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { projectFolder } from './project.js';

const copied = [
  '.github',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'action.yml',
  'docs',
  'examples/gardens',
  'generated',
  'openapi',
  'package-lock.json',
  'package.json',
  'packages',
  'redocly.yaml',
  'scripts',
  'src',
  'test',
  'tsconfig.json',
];

const shared = ['node_modules', 'test/browser/node_modules', '.tap'];

/** Copies the project into `folder`. The copy shares the packages and the tests' PostgreSQL. */
export async function copyProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const options = { recursive: true, filter: (source: string) => basename(source) !== 'node_modules' };
  for (const part of copied) await cp(join(projectFolder, part), join(folder, part), options);
  for (const part of shared) await symlink(join(projectFolder, part), join(folder, part));
}

/** Replaces `old`, which must be there, with `next`. An empty `old` creates the file. */
export interface Edit {
  readonly file: string;
  readonly old: string | RegExp;
  readonly next: string;
}

/** @throws {Error} if the file does not have `old` */
export async function apply(folder: string, edit: Edit): Promise<void> {
  const path = join(folder, edit.file);
  if (edit.old === '') {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, edit.next);
    return;
  }
  await writeFile(path, edited(await readFile(path, 'utf8'), edit));
}

/**
 * @returns the text after the edit
 * @throws {Error} if the text does not have `old`
 */
export function edited(text: string, { file, old, next }: Edit): string {
  const changed = text.replace(old, () => next);
  if (changed === text) throw new Error(`${file} has no "${old}".`);
  return changed;
}
