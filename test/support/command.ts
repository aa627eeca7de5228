import { execFile } from 'node:child_process';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** All of it; without it, that of the tests. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The beginning of a command that runs Node.js without coverage. tap puts its recorder into NODE_OPTIONS of
 * every process that a test starts, whatever environment the test gives; its line numbers are wrong where tsx
 * compiles, and it costs a start a second and more. "env" takes it out.
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

/** Runs Node.js to its end; no exit code is an error here. */
export function runNode(parameters: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const [program, ...before] = uncountedNode;
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...before, ...parameters],
      { ...options, maxBuffer: 64 * 2 ** 20 },
      (error, out, err) => {
        // A signal, or a program that could not be started, has no number.
        if (error !== null && typeof error.code !== 'number') reject(error);
        else resolve({ code: Number(error?.code ?? 0), out, err });
      },
    );
  });
}
