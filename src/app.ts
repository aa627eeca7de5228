import { randomBytes } from 'node:crypto';
import { BlockList } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, fastify, type onRequestHookHandler } from 'fastify';

import { bearerCheck } from './access/bearer.js';
import { TokenStore } from './access/token-store.js';
import { trustIn } from './api-docs/address.js';
import { routeFrontDoor } from './api-docs/routes.js';
import { failureTypeOf } from './contract/answer/failure.js';
import type { Contract } from './contract/document/document.js';
import type { Bindings } from './contract/route.js';
import { routeContract } from './contract/routes.js';
import { answerClientError, replyToError } from './errors.js';
import { BrokenAnswers, logAnswers } from './http/answer-log.js';
import { inTurn, watchConnections } from './http/connection.js';
import { answerOtherOrigins, corsHeadersOf } from './http/cors.js';
import { routeHealth } from './http/health.js';
import { requireHost } from './http/host.js';
import type { Log } from './log.js';
import { allHandlers, type SchemeName } from './parts.js';
import type { Database } from './postgres/database.js';

/** Milliseconds. */
interface Timeouts {
  /** From a request's first byte to the end of its header, and of its body. */
  readonly header: number;
  readonly request: number;
  /** Between two checks of those two. */
  readonly check: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** Without a byte in either direction. */
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
  readonly proxies?: BlockList;
  readonly corsOrigins?: ReadonlySet<string>;
  readonly checkAnswers?: boolean;
}

interface AppParts extends ServerParts {
  readonly database: Database;
  /** The benchmarks replace them. */
  readonly handlers?: Handlers;
}

type Handlers = ReturnType<typeof allHandlers>;

/** Does not listen yet. */
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

/** The routes that the service shares with the mock. */
export async function routeService(
  app: FastifyInstance,
  { contract, proxies = new BlockList(), corsOrigins, checkAnswers = false }: ServerParts,
  bindings: Omit<Bindings, 'checkAnswers'>,
): Promise<void> {
  if (corsOrigins?.size) await answerOtherOrigins(app, contract, corsOrigins);
  await routeContract(app, contract, { ...bindings, checkAnswers });
  routeFrontDoor(app, contract, proxies);
}

/** Has no routes, and answers failures in the contract's form. */
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
  // A logger of type Log would change the type of the app.
  const loggerInstance: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance,
    logController: new BrokenAnswers(),
    genReqId: makeRequestId,
    // Log lines name their request in `req`.
    childLoggerFactory: (logger) => logger,
    trustProxy: proxies.rules.length > 0 && trustIn(proxies),
    http: {
      headersTimeout: timeouts.header,
      connectionsCheckingInterval: timeouts.check,
      // requireHost checks it.
      requireHostHeader: false,
    },
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionTimeout: timeouts.silence,
    // Requests that arrive during the shutdown are answered.
    return503OnClosing: false,
    // The contract has no HEAD, so the answer is a 405 (fastify#917).
    exposeHeadRoutes: false,
    // The schemas limit parameters, and Node.js limits URLs.
    routerOptions: { maxParamLength: 65_536 },
    // These two see requests that reach no route.
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

/** On shutdown, ends each connection after its request. Node.js would wait until it is idle. */
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

/** Unique across replicas and restarts. */
const makeRequestId = (() => {
  const process = randomBytes(6).toString('base64url');
  let requests = 0;
  return () => `${process}-${++requests}`;
})();
