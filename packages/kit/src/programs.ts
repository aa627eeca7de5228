/** Runs other programs, such as pgbouncer and psql, and says what they printed if they fail. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Scope } from '../../contract-tools/base.js';

interface Options {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** A program that runs for longer is killed. */
  readonly timeoutMs: number;
  /** The program gets a SIGINT after this time, at which it is to end in order. */
  readonly interruptAfterMs?: number;
}

/** A program failed. The message has the end of its output. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

/**
 * Runs a program until it ends or is ended.
 *
 * @returns its stdout
 * @throws {ProgramError} if it cannot be started, fails, or takes too long
 */
export async function run(
  scope: Scope,
  file: string,
  parameters: readonly string[],
  { env, cwd, timeoutMs, interruptAfterMs }: Options,
): Promise<string> {
  const child = spawn(file, parameters, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  scope.teardown(() => end(child));
  const [output, errors] = [collect(child.stdout), collect(child.stderr)];
  const interrupt =
    interruptAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGINT'), interruptAfterMs);
  const [code, signal] = await once(child, 'close')
    .catch((error) => {
      throw new ProgramError(`${file} cannot be started: ${error.message}`);
    })
    .finally(() => clearTimeout(interrupt));
  if (code !== 0) {
    throw new ProgramError(`${file} ended with ${signal ?? code}: ${lastLines(errors() || output())}`);
  }
  return output();
}

/** Starts a program, whose errors are shown, and ends it at the end of the scope. */
export function launch(scope: Scope, file: string, parameters: readonly string[]): ChildProcess {
  const child = spawn(file, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
  scope.teardown(() => end(child));
  return child;
}

const patienceMs = 5_000;

/** Asks a program to end, waits for that, and kills the program if it takes too long. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(impatience);
}

/** @returns a function that returns what has come from the stream so far */
export function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}

/** @returns the last five lines */
export function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-5).join('\n');
}
