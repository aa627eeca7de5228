import { execFile } from 'node:child_process';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** The whole environment; by default that of the tests. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The start of a command that runs Node.js without coverage. tap adds its recorder to NODE_OPTIONS of every
 * child process; its line numbers are wrong for files that tsx compiles, and it slows each start.
 */
export const uncountedNode = ['/usr/bin/env', '-u', 'NODE_OPTIONS', process.execPath] as const;

/** Runs a TypeScript file to its end, as the npm scripts do; no exit code is an error here. */
export function runTypeScript(
  file: string,
  parameters: readonly string[] = [],
  options: CommandOptions = {},
): Promise<Ended> {
  return runNode(['--import', import.meta.resolve('tsx'), file, ...parameters], options);
}

/** Runs Node.js to its end; any exit code is fine. */
export function runNode(parameters: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const [program, ...before] = uncountedNode;
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...before, ...parameters],
      { ...options, maxBuffer: 64 * 2 ** 20 },
      (error, out, err) => {
        // A program that was killed or could not be started has no numeric exit code.
        if (error !== null && typeof error.code !== 'number') reject(error);
        else resolve({ code: Number(error?.code ?? 0), out, err });
      },
    );
  });
}
