/** Small servers that keep a contract, each made of src/contract/ and a map in memory. */
import type { Test } from 'tap';
import { bearerCheck } from '../../../src/access/bearer.js';
import { hashToken } from '../../../src/access/token.js';
import { routeService } from '../../../src/app.js';
import type { Contract } from '../../../src/contract/document/document.js';
import type { AnyAnswer, AnyHandler } from '../../../src/contract/handlers.js';
import { makeServer } from '../../../src/http/server.js';
import { makeLog } from '../../../src/log.js';

/** A contract with a server that keeps it. */
export interface Model {
  readonly contract: Contract;
  /** Starts the server with an empty store. @param tokens valid tokens, each of another owner */
  start(t: Pick<Test, 'teardown'>, tokens?: readonly string[]): Promise<URL>;
}

/** The body that is stored under an id. */
export interface Members {
  readonly [name: string]: unknown;
}

/** A request that src/contract/ has validated. */
interface Asked<Path, Body, Query> {
  readonly path: Path;
  readonly body: Body;
  readonly query: Query;
  readonly caller: unknown;
}

/** Handlers for requests of these types. */
export function handlersOf<Path, Body = Members, Query = unknown>(
  handlers: Readonly<Record<string, (asked: Asked<Path, Body, Query>) => AnyAnswer>>,
): Readonly<Record<string, AnyHandler>> {
  const entries = Object.entries(handlers).map(([id, handler]) => {
    // src/contract/ has validated the request by now.
    const bound: AnyHandler = async (asked) => handler(asked as Asked<Path, Body, Query>);
    return [id, bound] as const;
  });
  return Object.fromEntries(entries);
}

/** The service's own server, with these handlers, tokens and form of failures. */
export async function startModelServer(
  t: Pick<Test, 'teardown'>,
  contract: Contract,
  handlers: Readonly<Record<string, AnyHandler>>,
  tokens: readonly string[] = [],
): Promise<URL> {
  const log = makeLog('silent');
  const app = makeServer({ contract, log });
  const hashes = new Map(tokens.map((token) => [hashToken(token), token]));
  const check = await bearerCheck(app, {
    find: async (hash) => {
      const owner = hashes.get(hash);
      return owner === undefined ? undefined : { owner, remaining: null };
    },
  });
  const schemes = Object.keys(contract.document.components?.securitySchemes ?? {});
  const security = Object.fromEntries(schemes.map((scheme) => [scheme, check]));
  await routeService(app, { contract, log, checkAnswers: true }, { handlers, security });
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  t.teardown(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  return url;
}

/** A text that is the same for equal values, whatever the order of their members. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The members that the contract's schema names: others are not stored. */
export function only(names: readonly string[], members: object): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
}
