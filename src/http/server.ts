import { createServer, type Server } from 'node:http';
import { BlockList } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import { failureTypeOf } from '../contract/answer/failure-type.js';
import type { Contract } from '../contract/document/document.js';
import type { Log } from '../log/log.js';
import { makeRequestId, requestIdOf } from '../log/request-id.js';
import { trustIn } from './address.js';
import { addAnswerHeaders, answerHeaders } from './answer-headers.js';
import { AnswerLogController, logAnswers } from './answer-log.js';
import { closeConnections } from './connection-header.js';
import { Connections } from './connections.js';
import { corsHeadersOf } from './cors.js';
import { answerClientError, replyToError } from './error-answers.js';
import { checkHeaderFields } from './header-fields.js';
import { cutSlowReaders, type ReaderLimits, readerLimits } from './slow-readers.js';

/** Milliseconds. */
interface Timeouts {
  /** From a request's first byte to the end of its header, and of its body. */
  readonly header: number;
  readonly request: number;
  /** Between checks of those. */
  readonly check: number;
  /** Between two requests. */
  readonly idle: number;
  /** Without a byte in either direction. */
  readonly silence: number;
}

export const defaultTimeouts: Timeouts = {
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
  readonly readers?: Partial<ReaderLimits>;
  readonly maxConnections?: number;
  readonly maxRequestsInFlight?: number;
  readonly proxies?: BlockList;
  readonly corsOrigins?: ReadonlySet<string>;
  readonly checkAnswers?: boolean;
  /** Of each owner; 0 for no limit. */
  readonly requestsPerSecond?: number;
  /** Aborted when the service begins to end. */
  readonly ending?: AbortSignal;
}

/** Has no routes yet. */
export function makeServer({
  contract,
  log,
  timeouts = defaultTimeouts,
  readers = {},
  maxConnections,
  proxies = new BlockList(),
  corsOrigins = new Set(),
  ending,
}: ServerParts): FastifyInstance {
  const failureType = failureTypeOf(contract.operations);
  const onError = replyToError(contract.document.info.title, failureType);
  const corsHeaders = corsHeadersOf(contract, corsOrigins);
  // The type Log would change the app's type.
  const loggerInstance: FastifyBaseLogger = log;
  const connections = new Connections(answerClientError(log, failureType), maxConnections);
  const app = fastify({
    loggerInstance,
    logController: new AnswerLogController(),
    genReqId: makeRequestId,
    // Log lines name their request in `req`.
    childLoggerFactory: (logger) => logger,
    trustProxy: proxies.rules.length > 0 && trustIn(proxies),
    serverFactory(handle) {
      const server = makeHttpServer(timeouts);
      connections.serve(server, handle);
      return server;
    },
    // Answers requests during the shutdown.
    return503OnClosing: false,
    // The contract has no HEAD: a 405 (fastify#917).
    exposeHeadRoutes: false,
    // The schemas limit parameters, and Node.js limits URLs.
    routerOptions: { maxParamLength: 65_536 },
    // These two see requests that reach no route.
    frameworkErrors(error, request, reply) {
      watchAnswer(request, reply);
      setConnectionHeader(request, reply);
      reply.headers({ ...answerHeaders(requestIdOf(request)), ...corsHeaders(request) });
      onError(error, request, reply);
    },
    clientErrorHandler: (failure, socket) => connections.refuse(failure, socket),
  });
  app.setErrorHandler(onError);
  const setConnectionHeader = closeConnections(app, connections, ending);
  cutSlowReaders(app, connections, log, { ...readerLimits, ...readers });
  const watchAnswer = logAnswers(app);
  addAnswerHeaders(app);
  checkHeaderFields(app);
  return app;
}

function makeHttpServer(timeouts: Timeouts): Server {
  const server = createServer({
    headersTimeout: timeouts.header,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.check,
    keepAliveTimeout: timeouts.idle,
    // checkHeaderFields checks it.
    requireHostHeader: false,
  });
  server.setTimeout(timeouts.silence);
  return server;
}
