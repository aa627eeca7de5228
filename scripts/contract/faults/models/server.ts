/** Small servers that keep a contract, each made of src/contract/ and a map in memory. */
import { bearerCheck } from '../../../../src/access/bearer.js';
import { hashToken } from '../../../../src/access/token.js';
import { routeService } from '../../../../src/app.js';
import type { Contract } from '../../../../src/contract/document/document.js';
import type { AnyAnswer, AnyHandler } from '../../../../src/contract/handlers.js';
import { makeServer } from '../../../../src/http/server.js';
import { makeLog } from '../../../../src/log/log.js';
import { listenIn } from '../../../kit/listen.js';
import type { Scope } from '../../../kit/scope.js';

/** A contract with a server that keeps it. */
export interface Model {
  readonly contract: Contract;
  /** Starts the server, which has nothing stored. @param tokens those that are good, each of another owner */
  start(scope: Scope, tokens?: readonly string[]): Promise<URL>;
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
  scope: Scope,
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
      return owner === undefined ? undefined : { owner, remainingMs: null };
    },
  });
  const schemes = Object.keys(contract.document.components?.securitySchemes ?? {});
  const security = Object.fromEntries(schemes.map((scheme) => [scheme, check]));
  await routeService(app, { contract, log, checkAnswers: true }, { handlers, security });
  return new URL(await listenIn(scope, app));
}

/** The members that the contract's schema names: others are not stored. */
export function only(names: readonly string[], members: object): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
}
