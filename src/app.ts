import { randomBytes } from 'node:crypto';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';

import { bearerCheck } from './access/bearer.js';
import { TokenStore } from './access/token-store.js';
import type { Contract } from './contract/document.js';
import { type Bindings, routeContract } from './contract/routes.js';
import { answerClientError, replyToError } from './errors.js';
import { routeHealth } from './health.js';
import { type Plants, plantHandlers } from './plants/operations.js';
import { PlantStore } from './plants/store.js';
import type { Database } from './postgres/database.js';

/** Milliseconds. Each bounds what a slow or silent client can hold. */
export interface Timeouts {
  /** From the first byte of a request to the end of its header, and to the end of its body. */
  readonly header: number;
  readonly request: number;
  /** How often those two are looked at. */
  readonly check: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** Without a byte in either direction, be it that a client does not read what it asked for. */
  readonly silence: number;
}

const defaultTimeouts: Timeouts = {
  header: 10_000,
  request: 30_000,
  check: 1_000,
  idle: 72_000,
  silence: 120_000,
};

export interface AppParts {
  readonly contract: Contract;
  readonly database: Database;
  /** In the database, unless somebody keeps them elsewhere. */
  readonly plants?: Plants;
  readonly log: FastifyBaseLogger;
  readonly timeouts?: Timeouts;
}

/** The service, assembled in the order in which a request travels. It listens once its caller says so. */
export async function buildApp({
  contract,
  database,
  plants = new PlantStore(database),
  log,
  timeouts = defaultTimeouts,
}: AppParts): Promise<FastifyInstance> {
  const onError = replyToError(contract.document.info.title);
  const app = fastify({
    loggerInstance: log,
    // One line for each request, below, in place of Fastify's two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: makeRequestId,
    http: { headersTimeout: timeouts.header, connectionsCheckingInterval: timeouts.check },
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionTimeout: timeouts.silence,
    // Requests that arrive while the service ends are answered, too, and in the contract's words.
    return503OnClosing: false,
    // The contract has no HEAD; where it has none, 405 is the answer, and nothing is read for it (fastify#917).
    exposeHeadRoutes: false,
    // No parameter is too long for the router, so that its length is the schema's business. Node.js bounds the URL.
    routerOptions: { maxParamLength: 65_536 },
    // These two see what never reaches a route.
    frameworkErrors: (error, request, reply) => onError(error, request, reply),
    clientErrorHandler: answerClientError,
  });
  app.setErrorHandler(onError);
  app.addHook('onResponse', async (request, reply) => {
    request.log.info({ req: request, res: reply, milliseconds: reply.elapsedTime }, 'answered');
  });

  const bindings = {
    security: { bearerAuth: await bearerCheck(app, new TokenStore(database)) },
    handlers: plantHandlers(plants),
  };
  await routeContract(app, contract, bindings as Bindings);
  routeHealth(app, database);
  return app;
}

/** Unique among replicas and restarts, and cheaper than a UUID for each request. */
const makeRequestId = (() => {
  const process = randomBytes(6).toString('base64url');
  let requests = 0;
  return () => `${process}-${++requests}`;
})();
