import { randomUUID } from 'node:crypto';
import type { BlockList } from 'node:net';
import { PassThrough } from 'node:stream';
import type { Test } from 'tap';
import { TokenStore } from '../../src/access/token-store.js';
import { buildApp } from '../../src/app.js';
import { readContract } from '../../src/contract/document/document.js';
import type { Timeouts } from '../../src/http/server.js';
import { makeLog } from '../../src/log.js';
import { migrationFolders, neededTables, storedSchemas } from '../../src/parts.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { Readiness } from '../../src/postgres/readiness.js';
import { contractFile } from '../../src/project.js';
import { checkTables } from '../../src/storage/check-tables.js';
import { makeDatabase } from './database.js';

export interface Service {
  readonly address: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly tokens: TokenStore;
  /** A token of a new owner. */
  readonly token: string;
  /** Ends the service, as a signal would. */
  close(): Promise<void>;
  /** All that was logged, so far. */
  log(): string;
  /** Sends a request with the token, and reads the answer. */
  readonly call: Call;
  /** The same for a new owner, who has no plants. */
  newCaller(): Promise<Call>;
}

/** Milliseconds for a statement, and for a connection. */
const patience = 60_000;

type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON.parse reads it; undefined where there is none. */
  readonly body: unknown;
}

/** The service on a free port and a database of its own. */
export async function startService(
  t: Pick<Test, 'teardown'>,
  options: {
    timeouts?: Timeouts;
    databaseUrl?: string;
    contractFile?: string;
    proxies?: BlockList;
    corsOrigins?: ReadonlySet<string>;
  } = {},
): Promise<Service> {
  const databaseUrl = options.databaseUrl ?? (await makeDatabase(t));
  await migrate(databaseUrl, migrationFolders);
  // Not the service's own timeouts: on a busy machine, they would end what a test does not mean to be slow.
  const database = new Database(databaseUrl, () => {}, { statement: patience, connect: patience });
  const readiness = new Readiness(databaseUrl, neededTables);
  const output = new PassThrough();
  const logged: string[] = [];
  output.on('data', (chunk) => logged.push(String(chunk)));
  const contract = await readContract(options.contractFile ?? contractFile);
  await checkTables(contract, database, storedSchemas);
  const app = await buildApp({
    contract,
    database,
    readiness,
    log: makeLog('debug', output),
    checkAnswers: true,
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(options.proxies && { proxies: options.proxies }),
    ...(options.corsOrigins && { corsOrigins: options.corsOrigins }),
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(async () => {
    app.server.closeAllConnections();
    await app.close();
    await database.close();
    await readiness.close();
  });
  const tokens = new TokenStore(database);
  const token = await tokens.issue('owner');
  return {
    address,
    port: Number(new URL(address).port),
    databaseUrl,
    tokens,
    token,
    close: async () => {
      await app.close();
    },
    log: () => logged.join(''),
    call: callWith(address, token),
    newCaller: async () => callWith(address, await tokens.issue(randomUUID())),
  };
}

function callWith(address: string, token: string): Call {
  return (method, path, options) => call(address + path, method, { token, ...options });
}

async function call(
  url: string,
  method: string,
  { token, headers = {}, body }: CallOptions,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
