import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { Test } from 'tap';
import { serveOn } from '../../../scripts/kit/service.js';
import type { TokenStore } from '../../../src/access/token-store.js';
import type { buildApp } from '../../../src/app.js';
import { readContract } from '../../../src/contract/document/document.js';
import type { ServerParts } from '../../../src/http/server.js';
import { makeLog } from '../../../src/log/log.js';
import { plantParts } from '../../../src/parts.js';
import type { Parts } from '../../../src/resources/parts.js';
import { makeDatabase } from '../postgres/database.js';
import { type Answer, type CallOptions, call } from './call.js';

export interface Service {
  readonly address: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly tokens: TokenStore;
  /** A token of a new owner. */
  readonly token: string;
  /** Ends the service as a signal would. */
  close(): Promise<void>;
  /** Everything that was logged so far. */
  log(): string;
  /** Sends a request with the token, and reads the answer. */
  readonly call: Call;
  /** A `call` of a new owner, who has no plants. */
  newCaller(): Promise<Call>;
}

type Call = (method: string, path: string, options?: CallOptions) => Promise<ReadAnswer>;

interface ReadAnswer extends Answer {
  /** The body as JSON.parse reads it; undefined where there is none. */
  readonly body: unknown;
}

interface ServiceOptions
  extends Pick<ServerParts, 'timeouts' | 'readers' | 'maxConnections' | 'proxies' | 'corsOrigins' | 'ending'>,
    Pick<Parameters<typeof buildApp>[0], 'jwts' | 'maxRequestsInFlight' | 'requestsPerSecond'> {
  readonly databaseUrl?: string;
  /** Those of the plant store if left out. */
  readonly parts?: Parts;
  /** Instead of the contract of the parts. */
  readonly contractFile?: string;
}

/** The service on a free port and a database of its own. */
export async function startService(
  t: Pick<Test, 'teardown'>,
  { databaseUrl: given, parts = plantParts, contractFile, ...server }: ServiceOptions = {},
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
