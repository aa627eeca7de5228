/**
 * Makes the Fastify server: its timeouts and limits, what every request meets before it has a route, and what
 * every failure meets at the end. app.ts adds the routes.
 *
 * A request meets these, in order: connections.ts hands it to Fastify when its turn on the connection has
 * come; the hooks of answer-log.ts, answer-headers.ts and header-fields.ts run; then those of its route. On
 * the way back, connection-header.ts decides whether the connection stays open. error-answers.ts writes the
 * answer if any of them throws. A request that Node.js or the router cannot read meets no hook, so
 * `frameworkErrors` and `clientErrorHandler` below do the same for it.
 */
import { createServer, type Server } from 'node:http';
import { BlockList } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import { failureTypeOf } from '../contract/answer/failure-type.js';
import type { Contract } from '../contract/contract.js';
import type { Log } from '../log/log.js';
import { makeRequestId, requestIdOf } from '../log/request-id.js';
import { trustIn } from './address.js';
import { answerHeaders, headersOfAnswer } from './answer-headers.js';
import { AnswerLogController, answerLog, watchAnswer } from './answer-log.js';
import { connectionHeader, connectionHeaderSetter } from './connection-header.js';
import { Connections } from './connections.js';
import { cors, corsHeadersOf } from './cors.js';
import { answerClientError, replyToError } from './error-answers.js';
import { headerFields } from './header-fields.js';

interface Timeouts {
  /**
   * The time runs from the first byte of a request, or the accept of a new connection, to the end of the
   * header.
   */
  readonly headerMs: number;
  /** The time runs from the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** How often Node.js looks for requests that have exceeded these two. */
  readonly checkMs: number;
  /** How long a connection stays open between two requests. */
  readonly idleMs: number;
  /** How long a connection stays open without a byte in either direction, also if an answer is not read. */
  readonly silenceMs: number;
}

export const defaultTimeouts: Timeouts = {
  headerMs: 10_000,
  requestMs: 30_000,
  checkMs: 1_000,
  idleMs: 72_000,
  silenceMs: 120_000,
};

export interface ServerOptions {
  readonly contract: Contract;
  readonly log: Log;
  readonly timeouts?: Timeouts;
  /** How many connections of clients may be open. If left out, any number. */
  readonly maxConnections?: number;
  /** Peers whose `X-Forwarded-…` headers are trusted. If left out, none. */
  readonly proxies?: BlockList;
  /** Origins whose pages may call the operations. If left out, none. */
  readonly corsOrigins?: ReadonlySet<string>;
  /** Aborted when the drain begins. */
  readonly ending?: AbortSignal;
}

/**
 * Makes the server: its limits, its hooks and its error handler. It has no routes yet, and does not listen.
 */
export async function makeServer({
  contract,
  log,
  timeouts = defaultTimeouts,
  maxConnections,
  proxies = new BlockList(),
  corsOrigins = new Set(),
  ending,
}: ServerOptions): Promise<FastifyInstance> {
  const failureType = failureTypeOf(contract.operations);
  const onError = replyToError(contract.title, failureType);
  const corsHeaders = corsHeadersOf(contract, corsOrigins);
  // The log gets Fastify's type, because an app with the type Log would not be a FastifyInstance.
  const loggerInstance: FastifyBaseLogger = log;
  const connections = new Connections(answerClientError(log, failureType), log, maxConnections);
  const setConnectionHeader = connectionHeaderSetter(connections, ending);
  const app = fastify({
    loggerInstance,
    logController: new AnswerLogController(),
    genReqId: makeRequestId,
    // Fastify need not make a logger for each request, because the lines name their request in `req`.
    childLoggerFactory: (logger) => logger,
    trustProxy: proxies.rules.length > 0 && trustIn(proxies),
    serverFactory(handle) {
      const server = makeHttpServer(timeouts);
      connections.serve(server, handle);
      return server;
    },
    // Requests on open connections are answered while the server closes, instead of refused with a 503.
    return503OnClosing: false,
    // The contract has no HEAD, so it is a 405. Fastify would add it to each GET (fastify#917).
    exposeHeadRoutes: false,
    // Fastify's own limit of 100 characters would answer 404. The schemas limit parameters, and Node.js
    // limits URLs.
    routerOptions: { maxParamLength: 65_536 },
    // Each route of the contract has a validator of its own, and no other route has a schema. Without this,
    // Fastify would load and make an Ajv that nobody uses.
    schemaController: { compilersFactory: { buildValidator: () => refuseSchema } },
    // frameworkErrors and clientErrorHandler see requests that reach no route and no hook.
    frameworkErrors(error, request, reply) {
      watchAnswer(request, reply);
      setConnectionHeader(request, reply);
      reply.headers({ ...headersOfAnswer(requestIdOf(request)), ...corsHeaders(request) });
      onError(error, request, reply);
    },
    clientErrorHandler: (failure, socket) => connections.refuse(failure, socket),
  });
  app.setErrorHandler(onError);
  await app.register(connectionHeader, { connections, setHeader: setConnectionHeader });
  await app.register(answerLog);
  await app.register(answerHeaders);
  await app.register(headerFields);
  if (corsOrigins.size > 0) await app.register(cors, { contract, origins: corsOrigins });
  return app;
}

/** @throws {Error} always. Fastify calls it only for a route whose schema nothing else checks */
function refuseSchema(): never {
  throw new Error(
    'A route has a schema, and nothing that checks it: give it a "validatorCompiler", as packages/service/src/contract/route.ts does.',
  );
}

function makeHttpServer(timeouts: Timeouts): Server {
  const server = createServer({
    headersTimeout: timeouts.headerMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: timeouts.idleMs,
    // headerFields refuses a request without it, with the contract's Error body.
    requireHostHeader: false,
  });
  server.setTimeout(timeouts.silenceMs);
  return server;
}
