import { BlockList } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import { failureTypeOf } from '../contract/answer/failure.js';
import type { Contract } from '../contract/document/document.js';
import { answerClientError, replyToError } from '../errors.js';
import type { Log } from '../log.js';
import { acceptLast } from './accept-last.js';
import { trustIn } from './address.js';
import { addAnswerHeaders, answerHeaders } from './answer-headers.js';
import { AnswerLogController, logAnswers } from './answer-log.js';
import { afterEarlierAnswers, watchConnections } from './connection.js';
import { corsHeadersOf } from './cors.js';
import { endConnections } from './drain.js';
import { checkHeaderFields } from './header-fields.js';
import { watchOpenConnections } from './open-connections.js';
import { readInTurns } from './reading-turns.js';
import { makeRequestId, requestIdOf } from './request-id.js';
import { limitReaders, type ReaderLimits, readerLimits } from './unread-answers.js';

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
  const app = fastify({
    loggerInstance,
    logController: new AnswerLogController(),
    genReqId: makeRequestId,
    // Log lines name their request in `req`.
    childLoggerFactory: (logger) => logger,
    trustProxy: proxies.rules.length > 0 && trustIn(proxies),
    http: {
      headersTimeout: timeouts.header,
      connectionsCheckingInterval: timeouts.check,
      // checkHeaderFields checks it.
      requireHostHeader: false,
    },
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionTimeout: timeouts.silence,
    // Answers requests during the shutdown.
    return503OnClosing: false,
    // The contract has no HEAD: a 405 (fastify#917).
    exposeHeadRoutes: false,
    // The schemas limit parameters, and Node.js limits URLs.
    routerOptions: { maxParamLength: 65_536 },
    // These two see requests that reach no route.
    frameworkErrors(error, request, reply) {
      watchAnswer(request, reply);
      readOnInTurn(request, reply);
      reply.headers({ ...answerHeaders(requestIdOf(request)), ...corsHeaders(request) });
      onError(error, request, reply);
    },
    clientErrorHandler: afterEarlierAnswers(answerClientError(log, failureType)),
  });
  app.setErrorHandler(onError);
  const open = watchOpenConnections(app.server, maxConnections);
  const readOnInTurn = readInTurns(app, open);
  acceptLast(app, open);
  endConnections(app, open, ending);
  limitReaders(app, open, log, { ...readerLimits, ...readers });
  const watchAnswer = logAnswers(app, log);
  watchConnections(app, open);
  addAnswerHeaders(app);
  checkHeaderFields(app);
  return app;
}
