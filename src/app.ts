import { randomBytes } from 'node:crypto';
import { BlockList } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, fastify, type onRequestHookHandler } from 'fastify';

import { bearerCheck } from './access/bearer.js';
import { TokenStore } from './access/token-store.js';
import { inTurn, watchConnections } from './connection.js';
import type { Contract } from './contract/document.js';
import { failureTypeOf } from './contract/failure.js';
import { type Bindings, routeContract } from './contract/routes.js';
import { answerOtherOrigins, corsHeadersOf } from './cors.js';
import { answerClientError, replyToError } from './errors.js';
import { trustIn } from './front-door/address.js';
import { routeFrontDoor } from './front-door/routes.js';
import { routeHealth } from './health.js';
import { requireHost } from './host.js';
import { BrokenAnswers, type Log, logAnswers } from './log.js';
import { allHandlers, type SchemeName } from './parts.js';
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

export interface ServerParts {
  readonly contract: Contract;
  readonly log: Log;
  readonly timeouts?: Timeouts;
  /** The peers whose `X-Forwarded-…` headers are believed. */
  readonly proxies?: BlockList;
  /** The origins whose pages may call the operations. */
  readonly corsOrigins?: ReadonlySet<string>;
  /** Whether answers are held against the contract before they are sent. It costs time on every request. */
  readonly checkAnswers?: boolean;
}

interface AppParts extends ServerParts {
  readonly database: Database;
  /** The service's own, unless somebody wants to know what it costs without them (scripts/bench). */
  readonly handlers?: Handlers;
}

type Handlers = ReturnType<typeof allHandlers>;

/** The service, assembled in the order in which a request travels. It listens once its caller says so. */
export async function buildApp({ database, ...parts }: AppParts): Promise<FastifyInstance> {
  const { handlers = allHandlers(parts.contract, database) } = parts;
  const app = makeServer(parts);
  const security: Record<SchemeName, onRequestHookHandler> = {
    bearerAuth: await bearerCheck(app, new TokenStore(database)),
  };
  await routeService(app, parts, { handlers, security });
  routeHealth(app, database);
  return app;
}

/** What the service shares with the mock: the contract's routes, and the document. */
export async function routeService(
  app: FastifyInstance,
  { contract, proxies = new BlockList(), corsOrigins, checkAnswers = false }: ServerParts,
  bindings: Omit<Bindings, 'checkAnswers'>,
): Promise<void> {
  if (corsOrigins?.size) await answerOtherOrigins(app, contract, corsOrigins);
  await routeContract(app, contract, { ...bindings, checkAnswers });
  routeFrontDoor(app, contract, proxies);
}

/** A server without routes, whose failures all have the contract's form. */
export function makeServer({
  contract,
  log,
  timeouts = defaultTimeouts,
  proxies = new BlockList(),
  corsOrigins = new Set(),
}: ServerParts): FastifyInstance {
  const failureType = failureTypeOf(contract.operations);
  const onError = replyToError(contract.document.info.title, failureType);
  const corsHeaders = corsHeadersOf(contract, corsOrigins);
  // To Fastify's types, one with more methods would make another kind of app.
  const loggerInstance: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance,
    // One line for each request, below, in place of Fastify's two.
    logController: new BrokenAnswers(),
    genReqId: makeRequestId,
    // What a line of ours is about is in its `req`, so that no request needs a logger of its own. Lines that Fastify
    // writes by itself tell of faults in our code, and do not say which request met them.
    childLoggerFactory: (logger) => logger,
    trustProxy: proxies.rules.length > 0 && trustIn(proxies),
    http: {
      headersTimeout: timeouts.header,
      connectionsCheckingInterval: timeouts.check,
      // Ours says more: see requireHost.
      requireHostHeader: false,
    },
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
    frameworkErrors(error, request, reply) {
      watchAnswer(request, reply);
      reply.headers(corsHeaders(request));
      onError(error, request, reply);
    },
    clientErrorHandler: inTurn(answerClientError(log, failureType)),
  });
  app.setErrorHandler(onError);
  const watchAnswer = logAnswers(app, log);
  watchConnections(app);
  requireHost(app);
  endConnections(app);
  return app;
}

/**
 * Once the service ends, a connection ends with the request that was under way on it. Node.js ends those only
 * that are idle at that moment, and would wait for the others to be idle for long.
 */
function endConnections(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (closing) request.raw.socket.destroySoon();
    done();
  });
}

/** Unique among replicas and restarts, and cheaper than a UUID for each request. */
const makeRequestId = (() => {
  const process = randomBytes(6).toString('base64url');
  let requests = 0;
  return () => `${process}-${++requests}`;
})();
