/**
 * Starts the service as a process of its own, for tests of its start, its end, and its crash. Others use
 * service.ts.
 */
import type { Test } from 'tap';
import { send } from '../processes.js';
import { type Answer, type CallOptions, call } from './call.js';
import { type Program, type ProgramOptions, postgresProcesses, startProgram, until } from './process.js';

/** A service that is ready, in its process. */
export interface Server extends Program {
  readonly address: string;
  readonly port: number;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

type Environment = NonNullable<ProgramOptions['environment']>;

/**
 * Starts the server on a free port without waiting for it. It does not drain, or wait for a database, unless
 * a test asks for that.
 */
export function launchServer(t: Test, environment: Environment, options: ProgramOptions = {}): Program {
  return startProgram(t, 'src/main.ts', [], {
    ...options,
    environment: { PORT: '0', DATABASE_WAIT_SECONDS: '0', DRAIN_SECONDS: '0', ...environment },
  });
}

/**
 * Starts the server on a free port, and waits until it is ready.
 *
 * @throws {Error} as `ready` does
 */
export async function spawnServer(
  t: Test,
  environment: Environment,
  options: ProgramOptions = {},
): Promise<Server> {
  return ready(launchServer(t, environment, options));
}

/**
 * Waits until the server in `program` is ready.
 *
 * @throws {Error} with its stderr if it ends before, or if it is not ready within three minutes
 */
export async function ready(program: Program): Promise<Server> {
  const ended = program.ended.then((code) => {
    throw new Error(`The server ended with ${code}:\n${program.stderr()}`);
  });
  const address = await Promise.race([
    ended,
    until('the server is ready', () => {
      const [, address] = /ready at (http:\S+)[\s\S]*?\n\n/.exec(program.stderr()) ?? [];
      return address;
    }),
  ]);
  return {
    ...program,
    address,
    port: Number(new URL(address).port),
    call: (method, path, options) => call(address, method, path, options),
  };
}

/** Issues a token for "demo" of the service with its embedded PostgreSQL in `data`, while it runs. */
export async function issueToken(t: Test, data: string, options: ProgramOptions = {}): Promise<string> {
  const environment = { DATA_DIR: data };
  const issued = startProgram(t, 'src/main.ts', ['token', 'issue', 'demo'], { ...options, environment });
  t.equal(await issued.ended, 0, issued.stderr());
  return issued.stdout().trim();
}

/** Kills PostgreSQL and its children at once, as a crash of the machine would. */
export async function killPostgres(data: string): Promise<void> {
  const pids = await postgresProcesses(data);
  for (const pid of pids) send('SIGKILL', pid);
}
