/** Runs Node.js programs of this project to their end, and returns what they printed. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { projectFolder } from '../project.js';
import type { Ended } from './in-process.js';

export type { Ended };

interface CommandOptions {
  readonly cwd?: string;
  /** The whole environment; by default that of the tests. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The start of a command that runs Node.js without tap, which adds its recorder of processes to NODE_OPTIONS.
 * That slows each start.
 */
export const nodeWithoutTap = ['/usr/bin/env', '-u', 'NODE_OPTIONS', process.execPath] as const;

/**
 * The folder of the project as this file was loaded from it: its sources, or what `npm test` has compiled of
 * them.
 */
const loadedProject = join(import.meta.dirname, '..', '..', '..', '..');

/**
 * Returns Node.js with its options, and the file to run: what `npm test` has compiled, if these tests were
 * compiled, too; otherwise the source, which takes twice as long to start.
 */
export function programWithoutTap(file: string): [node: string[], file: string] {
  const source = resolve(projectFolder, file);
  const compiled = join(loadedProject, relative(projectFolder, source).replace(/ts$/, 'js'));
  // A file of a copy of the project is not compiled.
  return existsSync(compiled)
    ? [[...nodeWithoutTap, '--enable-source-maps'], compiled]
    : [[...nodeWithoutTap, '--import', import.meta.resolve('tsx')], source];
}

/**
 * Runs a TypeScript file to its end, as the npm scripts do; no exit code is an error here.
 *
 * @throws {Error} of Node.js if a signal ends the program, or it prints more than 64 MiB
 */
export function runTypeScript(
  file: string,
  parameters: readonly string[] = [],
  options: CommandOptions = {},
): Promise<Ended> {
  const [node, program] = programWithoutTap(file);
  return runToEnd([...node, program, ...parameters], options);
}

/**
 * Runs Node.js to its end; no exit code is an error here.
 *
 * @throws {Error} of Node.js if a signal ends the program, or it prints more than 64 MiB
 */
export function runNode(parameters: readonly string[], options: CommandOptions): Promise<Ended> {
  return runToEnd([...nodeWithoutTap, ...parameters], options);
}

function runToEnd([program = '', ...parameters]: readonly string[], options: CommandOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile(program, parameters, { ...options, maxBuffer: 64 * 2 ** 20 }, (error, out, err) => {
      // A program that was killed or could not be started has no numeric exit code.
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}
