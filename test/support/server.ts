import type { Test } from 'tap';
import {
  kill,
  type Program,
  type ProgramOptions,
  postgresProcesses,
  startProgram,
  until,
} from './process.js';

/** The real process. */
export interface Server extends Program {
  readonly address: string;
  readonly port: number;
  /** The token that the embedded one prints; empty otherwise. */
  readonly token: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Environment = NonNullable<ProgramOptions['environment']>;

/** Starts the server on a free port; does not wait. */
export function launchServer(t: Test, environment: Environment, options: ProgramOptions = {}): Program {
  return startProgram(t, 'src/main.ts', [], { ...options, environment: { PORT: '0', ...environment } });
}

/** Starts the server on a free port, and waits until it is ready. */
export async function spawnServer(
  t: Test,
  environment: Environment,
  options: ProgramOptions = {},
): Promise<Server> {
  return ready(launchServer(t, environment, options));
}

/** The server that `program` is, once it is ready. */
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
  const [token = ''] = /plant_\w+/.exec(program.stderr()) ?? [];
  return {
    ...program,
    address,
    port: Number(new URL(address).port),
    token,
    call: (method, path, options) => call(address + path, method, { token, ...options }),
  };
}

async function call(url: string, method: string, { token, body }: CallOptions): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Kills PostgreSQL and its children at once, as a crash of the machine would. */
export async function killPostgres(data: string): Promise<void> {
  const pids = await postgresProcesses(data);
  for (const pid of pids) kill(pid, 'SIGKILL');
}
