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
  /** Between two checks of those two. */
  readonly check: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** Without a byte in either direction, for example because the client does not read. */
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
  /** Peers whose `X-Forwarded-…` headers are trusted. */
  readonly proxies?: BlockList;
  /** Origins whose pages may call the operations. */
  readonly corsOrigins?: ReadonlySet<string>;
  /** Whether each answer is compared with the contract before it is sent, which costs time. */
  readonly checkAnswers?: boolean;
}

interface AppParts extends ServerParts {
  readonly database: Database;
  /** The service's own by default. The benchmarks replace them to measure the rest. */
  readonly handlers?: Handlers;
}

type Handlers = ReturnType<typeof allHandlers>;

/** Assembles the service in the order in which a request travels. The caller lets it listen. */
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

/** The part that the service shares with the mock: the contract's routes, and the document. */
export async function routeService(
  app: FastifyInstance,
  { contract, proxies = new BlockList(), corsOrigins, checkAnswers = false }: ServerParts,
  bindings: Omit<Bindings, 'checkAnswers'>,
): Promise<void> {
  if (corsOrigins?.size) await answerOtherOrigins(app, contract, corsOrigins);
  await routeContract(app, contract, { ...bindings, checkAnswers });
  routeFrontDoor(app, contract, proxies);
}

/** A server without routes, which answers every failure in the contract's form. */
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
  // Fastify's types would make another kind of app of a logger with more methods.
  const loggerInstance: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance,
    // logAnswers writes one line for each request instead of Fastify's two.
    logController: new BrokenAnswers(),
    genReqId: makeRequestId,
    // Our lines name their request in `req`, so no request needs a logger of its own. Fastify's own lines
    // tell of faults in the code, and do not name a request.
    childLoggerFactory: (logger) => logger,
    trustProxy: proxies.rules.length > 0 && trustIn(proxies),
    http: {
      headersTimeout: timeouts.header,
      connectionsCheckingInterval: timeouts.check,
      // requireHost says more.
      requireHostHeader: false,
    },
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionTimeout: timeouts.silence,
    // Requests that arrive while the service ends are answered as usual.
    return503OnClosing: false,
    // The contract has no HEAD, so the answer is a 405, without a look-up (fastify#917).
    exposeHeadRoutes: false,
    // The schemas limit the length of a parameter, and Node.js that of a URL, so the router need not.
    routerOptions: { maxParamLength: 65_536 },
    // These two see requests that never reach a route.
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
 * When the service ends, each connection ends with its current request. Node.js ends only idle connections at
 * once, and waits for the others to become idle.
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

/** Unique across replicas and restarts, and cheaper than a UUID per request. */
const makeRequestId = (() => {
  const process = randomBytes(6).toString('base64url');
  let requests = 0;
  return () => `${process}-${++requests}`;
})();
