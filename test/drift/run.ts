import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from '../../src/project.js';
import { apply, copyProject } from '../support/project-copy.js';
import type { Drift } from './cases.js';

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** A program of a copy of the project, as its npm script starts it. */
export function runIn(
  folder: string,
  [file = '', ...parameters]: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  // tap puts its recorder of coverage into NODE_OPTIONS of every process that a test starts.
  const { NODE_OPTIONS, ...others } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), join(folder, file), ...parameters],
      { cwd: folder, env: { ...others, ...environment }, maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

/** What TypeScript says about folders, all of them at once: they share most of what it reads. */
export function compile(folders: readonly string[], configuration: string): Promise<Outcome> {
  const tsc = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '--project', configuration, '--noErrorTruncation'],
      { cwd: folders[0], maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

export async function drifted(folder: string, { edits }: Drift): Promise<void> {
  await copyProject(folder);
  for (const edit of edits) await apply(folder, edit);
}
