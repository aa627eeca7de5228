/**
 * Starts programs of this project beside a test, waits for what they do (`until`), and kills them when the
 * test ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Test } from 'tap';
import { makeFolder } from '../folder.js';
import { childrenOf, send } from '../processes.js';
import { programWithoutTap } from './command.js';

export { makeFolder };

/** A test waits this long for an event, which comes much earlier unless something is wrong. */
const patienceMs = 180_000;

/** A program is killed after this time, so that only its own test fails. */
const longestLifeMs = 600_000;

/** A running program of this project. */
export interface Program {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit code, or with the signal that ended the program. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface ProgramOptions {
  /** Added to the environment of the tests; undefined removes a variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Options of Node.js. */
  readonly options?: readonly string[];
  /** The largest file that the program may write, in blocks of 512 bytes, as "ulimit -f" of sh counts. */
  readonly largestFile?: number;
  /** A file that takes its stdout. */
  readonly stdoutFile?: string;
  /** Whether that file takes its stderr, too. */
  readonly sharesFile?: boolean;
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts a TypeScript file as a process of its own, which is killed when the test ends. */
export function startProgram(
  t: Test,
  file: string,
  parameters: readonly string[],
  { environment = {}, options = [], largestFile, stdoutFile, sharesFile = false, ...user }: ProgramOptions,
): Program {
  const [node, source] = programWithoutTap(file);
  const limit = largestFile === undefined ? 'unlimited' : String(largestFile);
  const command = ['-c', 'ulimit -f "$0"; exec "$@"', limit, ...node];
  const stdout = stdoutFile === undefined ? 'pipe' : openSync(stdoutFile, 'a');
  const child = spawn('/bin/sh', [...command, ...options, source, ...parameters], {
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', stdout, sharesFile ? stdout : 'pipe'],
    ...user,
  });
  if (stdout !== 'pipe') closeSync(stdout);
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    const cut = setTimeout(() => child.kill('SIGKILL'), longestLifeMs);
    child.once('close', () => clearTimeout(cut));
    // "close" comes after "exit": all output has arrived.
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, pid: child.pid ?? 0, stdout: () => output.stdout, stderr: () => output.stderr, ended };
}

/** Returns the environment of the tests without settings of the service. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const { HOST, PORT, DATABASE_URL, DATA_DIR, LOG_LEVEL, TRUST_PROXY, CORS_ORIGINS, ...others } = process.env;
  const { ADMIN_HOST, ADMIN_PORT, BREAKING_MIGRATIONS, ...more } = others;
  const { DATABASE_WAIT_SECONDS, DRAIN_SECONDS, ...rest } = more;
  const { JWT_ISSUER, JWT_AUDIENCE, JWT_OWNER_CLAIM, JWT_JWKS_URL, ...clean } = rest;
  return Object.fromEntries(Object.entries(clean).filter(([name]) => !name.startsWith('OTEL_')));
}

/**
 * Waits until `condition` returns a truthy value, and returns it.
 *
 * @throws {Error} if that takes too long, also if the condition itself hangs; the message has its last value
 */
export async function until<Value>(
  what: string,
  condition: () => Promise<Value> | Value,
  milliseconds = patienceMs,
): Promise<NonNullable<Value>> {
  const deadline = Date.now() + milliseconds;
  let last = 'its condition has not answered';
  for (;;) {
    const answer = await withinTime(condition(), deadline - Date.now());
    if (answer?.value) return answer.value;
    if (answer !== undefined) last = `its condition was ${inspect(answer.value)} at last`;
    if (answer === undefined || Date.now() > deadline)
      throw new Error(`Waited in vain until ${what}: ${last}.`);
    await pause(20);
  }
}

/** Returns the value in an object; undefined if it is still pending after `ms` milliseconds. */
async function withinTime<Value>(
  pending: Promise<Value> | Value,
  ms: number,
): Promise<{ value: Awaited<Value> } | undefined> {
  const timer = new AbortController();
  const timeout = pause(Math.max(0, ms), undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([Promise.resolve(pending).then((value) => ({ value })), timeout]);
  } finally {
    timer.abort();
  }
}

/**
 * Makes a folder for an embedded PostgreSQL, and returns its path. When the test ends, any PostgreSQL there
 * is killed, so that a failed test leaves none behind.
 */
export async function makeDataFolder(t: Test, under?: string): Promise<string> {
  const folder = await makeFolder(t, under);
  const data = join(folder, 'data');
  t.teardown(async () => {
    for (const pid of await postgresProcesses(data)) send('SIGKILL', pid);
    await until('PostgreSQL is gone', async () => (await postgresProcesses(data)).length === 0);
  });
  return data;
}

/**
 * Lists the process ids of the server of the cluster in `data`, and then of its children. Empty if it does
 * not run.
 */
export async function postgresProcesses(data: string): Promise<number[]> {
  const text = await readFile(join(data, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const server = Number.parseInt(text, 10);
  // After a crash, another process may have the pid in the file.
  if (Number.isNaN(server) || !(await isServerOf(server, data))) return [];
  return [server, ...(await childrenOf(server))];
}

async function isServerOf(pid: number, data: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.split('\0').includes(join(data, 'postgres'));
}
