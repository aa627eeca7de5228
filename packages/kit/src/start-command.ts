/**
 * Knows how the compiled service is started and compiled, as package.json has it: tests and benchmarks must
 * start the same program as users.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../../contract-tools/base.js';
import { ProgramError, run } from './programs.js';
import { projectFolder } from './project.js';
import type { Command } from './server.js';
import { nodeWithoutTap } from './testing/command.js';

const compileMs = 120_000;

/**
 * The compiler of `npm run build`: TypeScript 7, which takes a fraction of the time of 5.9. What asks TypeScript
 * for more than files, such as `npm run dev`, uses 5.9, because 7 has no interface for programs yet.
 */
export const compilerFile = join(projectFolder, 'node_modules', 'typescript-7', 'bin', 'tsc');

/**
 * @param folder the project, or another checkout of it, whose package.json says how its build is started
 * @returns the command that starts the compiled service of the folder, as `npm start` does
 * @throws {ProgramError} if the script "start" does not end with "exec node …"
 */
export function startCommandOf(folder: string): Command {
  const file = join(folder, 'package.json');
  const { scripts }: { scripts: { start: string } } = JSON.parse(readFileSync(file, 'utf8'));
  const [, parameters] = /\bexec node (.+)$/.exec(scripts.start) ?? [];
  if (parameters === undefined)
    throw new ProgramError(`The script "start" of ${file} does not end with "exec node …": let it do so.`);
  return { file: process.execPath, parameters: parameters.split(' '), folder };
}

/** The command that starts the compiled service, as `npm start` does. */
export const startCommand: Command = startCommandOf(projectFolder);

/**
 * Compiles the service as `npm run build` does, or what another tsconfig names.
 *
 * @throws {ProgramError} if it does not compile within two minutes
 */
export async function compile(scope: Scope, project = 'tsconfig.build.json'): Promise<void> {
  const options = { cwd: projectFolder, timeoutMs: compileMs };
  const [file, ...parameters] = nodeWithoutTap;
  await run(scope, file, [...parameters, compilerFile, '--project', project], options);
}
