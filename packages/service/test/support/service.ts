/**
 * Starts a service in the process of the test, with a database and a token of its own: most tests begin with
 * it.
 */
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { type Answer, type CallOptions, call } from '../../../kit/testing.js';
import { readContract } from '../../../service-tools/index.js';
import type { TokenStore } from '../../src/access/token-store.js';
import type { buildApp } from '../../src/app.js';
import type { ServerOptions } from '../../src/http/server.js';
import { makeLog } from '../../src/log/log.js';
import type { ServiceDefinition } from '../../src/resources/service-of.js';
import { makeDatabase } from './postgres/database.js';
import { serveOn } from './running-service.js';

export interface Service {
  readonly address: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly tokens: TokenStore;
  /** A token of a new owner. */
  readonly token: string;
  /** Ends the service as a signal would. */
  close(): Promise<void>;
  /** Returns everything that was logged so far, in lines of JSON. */
  log(): string;
  /** Sends a request with the token, and reads the answer. */
  readonly call: Call;
  /** Returns a `call` with the token of a new owner, who has no plants. */
  newCaller(): Promise<Call>;
}

type Call = (method: string, path: string, options?: CallOptions) => Promise<ReadAnswer>;

interface ReadAnswer extends Answer {
  /** The body as JSON.parse reads it; undefined where there is none. */
  readonly body: unknown;
}

interface ServiceOptions
  extends Pick<ServerOptions, 'timeouts' | 'maxConnections' | 'proxies' | 'corsOrigins' | 'ending'>,
    Pick<Parameters<typeof buildApp>[0], 'jwts' | 'maxRequestsInFlight' | 'requestsPerSecond'> {
  /** By default, the service gets an empty database. */
  readonly databaseUrl?: string;
  /** The contract, tables and handlers of its resources; by default those of the plant store. */
  readonly parts?: ServiceDefinition;
  /** The file of another contract that it serves instead of that of its parts. */
  readonly contractFile?: string;
}

/**
 * Starts the service on a free port. It ends with the test.
 *
 * @throws {ContractError} if the contract is not valid
 */
export async function startService(
  t: Pick<Test, 'teardown'>,
  { databaseUrl: given, parts = plantStore, contractFile, ...server }: ServiceOptions = {},
): Promise<Service> {
  const databaseUrl = given ?? (await makeDatabase(t));
  const output = new PassThrough();
  const logged: string[] = [];
  output.on('data', (chunk) => logged.push(String(chunk)));
  const { app, address, tokens } = await serveOn(t, databaseUrl, {
    ...server,
    parts,
    contract: await (contractFile === undefined ? parts.readContract() : readContract(contractFile)),
    log: makeLog('debug', output),
  });
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
  return async (method, path, options) => {
    const answer = await call(address, method, path, { token, ...options });
    return { ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) };
  };
}
