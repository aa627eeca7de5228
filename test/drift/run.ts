import { join } from 'node:path';
import { apply, compilerFile, copyProject } from '../../packages/kit/index.js';
import { type Ended, runNode, runTypeScript } from '../../packages/kit/testing.js';
import type { Drift } from './cases.js';

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** Runs a program of a copy of the project, as its npm script does. */
export async function runIn(
  folder: string,
  [file = '', ...parameters]: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const options = { cwd: folder, env: { ...process.env, ...environment } };
  return outcomeOf(await runTypeScript(join(folder, file), parameters, options));
}

/** Runs TypeScript with a configuration; file names in its output are relative to `folder`. */
export async function compile(folder: string, configuration: string): Promise<Outcome> {
  return outcomeOf(
    await runNode([compilerFile, '--project', configuration, '--noErrorTruncation'], { cwd: folder }),
  );
}

function outcomeOf({ code, out, err }: Ended): Outcome {
  return { code, output: out + err };
}

export async function drifted(folder: string, { edits }: Drift): Promise<void> {
  await copyProject(folder);
  for (const edit of edits) await apply(folder, edit);
}
