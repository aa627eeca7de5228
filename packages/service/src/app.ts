/**
 * The service, assembled: what a request meets, in order. The server's own plugins come first (http/server.ts),
 * then the hooks of the operation (contract/route.ts), its handler, and the store that the handler calls.
 * docs/architecture.md lists the plugins.
 */
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { bearerCheck } from './access/bearer.js';
import type { JwtOwners } from './access/jwt-owners.js';
import { TokenStore } from './access/token-store.js';
import { apiDocs } from './api-docs/routes.js';
import { contractRoutes } from './contract/routes.js';
import { rateLimit } from './fairness/rate-limit.js';
import { limitRequestsInFlight } from './fairness/requests-in-flight.js';
import { health } from './http/health.js';
import { makeServer, type ServerOptions } from './http/server.js';
import type { Database } from './postgres/database.js';
import type { Readiness } from './postgres/readiness.js';
import type { CheckedScheme, ServiceDefinition } from './resources/service-of.js';

/** What the service is made of. What is optional is left out in tests. */
interface AppOptions extends ServerOptions {
  readonly parts: Pick<ServiceDefinition, 'openHandlers'>;
  readonly database: Database;
  readonly readiness: Pick<Readiness, 'check'>;
  readonly jwts?: Pick<JwtOwners, 'find'> | undefined;
  /** How many requests of all owners together may be in flight. */
  readonly maxRequestsInFlight?: number;
  /** How many requests each owner may send in a second; 0 for no limit. */
  readonly requestsPerSecond?: number;
  /** Whether answers are compared with the contract. If left out, they are not. */
  readonly checkAnswers?: boolean;
}

/**
 * Assembles the service, in the order in which a request meets its parts. It does not listen yet.
 *
 * @throws {ContractError} if the contract, the tables and the handlers do not fit together
 * @throws {DatabaseUnavailableError} if the database cannot say which tables are distributed
 */
export async function buildApp({
  parts,
  database,
  readiness,
  jwts,
  maxRequestsInFlight = Number.POSITIVE_INFINITY,
  requestsPerSecond = 0,
  checkAnswers = false,
  ...server
}: AppOptions): Promise<FastifyInstance> {
  const { contract, proxies, ending } = server;
  const handlers = await parts.openHandlers(contract, database);
  const app = await makeServer(server);
  const checkRate = rateLimit(requestsPerSecond);
  const security: Record<CheckedScheme, onRequestHookHandler> = {
    bearerAuth: await bearerCheck(app, new TokenStore(database), { jwts, checkRate }),
  };
  const admit = limitRequestsInFlight(maxRequestsInFlight);
  await app.register(contractRoutes, { contract, handlers, security, admit, checkAnswers });
  await app.register(apiDocs, { contract, proxies });
  await app.register(health, { readiness, ending });
  return app;
}
