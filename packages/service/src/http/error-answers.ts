/**
 * Every failure becomes an answer here, wherever it comes from.
 *
 * Failures come from Node.js's parser, the router, hooks, handlers and the database, and each of these has a
 * form of its own. The contract documents one form, and clients rely on it. Fastify's default body would not
 * fit, because its `error` is a text (fastify#4881). So there is one way for all:
 *
 * 1. `replyToError` gets whatever a hook, a parser or a handler throws, because it is the app's error
 *    handler. server.ts calls it for requests that the router cannot read, too.
 * 2. `answerTo` decides status, message and headers by the class of the error, or by its code if it is
 *    Fastify's or Node.js's. Anything else is a 500 with a fixed sentence, so that no message of the inside
 *    gets out.
 * 3. If the operation does not document that status, the answer is a 500, which each operation documents.
 * 4. The log gets the error of each 500, one line a second of each kind of 503, and a line for each message
 *    that cannot be read. Other refusals are in the line of their request only.
 * 5. `answerClientError` does the same for bytes that are not a request of HTTP. There is no response then,
 *    so it writes to the socket.
 *
 * For example, PostgreSQL is being restarted, and a client asks for its list. The store throws a
 * DatabaseUnavailableError, the client gets 503 with `Retry-After: 1` and `{"error":503,"message":"The
 * service cannot answer right now: try again later."}`, and the log says "not available" once a second.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../contract/document/operations.js';
import {
  InvalidRequestError,
  MethodNotAllowedError,
  UnknownPathError,
  UnsupportedMediaTypeError,
} from '../contract/request/request-errors.js';
import { OutcomeUnknownError, RefusedStatementError } from '../errors/database.js';
import { failure } from '../errors/failure.js';
import { ListPositionError } from '../errors/list-position.js';
import { OverloadError, overloads } from '../errors/overloads.js';
import { InvalidTokenError, IssuerUnavailableError } from '../errors/tokens.js';
import { ServiceUnavailableError } from '../errors/unavailable.js';
import { TooManyRequestsError } from '../fairness/rate-limit.js';
import { LogSampler } from '../log/sampler.js';
import { events } from '../observability/events.js';
import { headersOfAnswer } from './answer-headers.js';
import { EndingError } from './health.js';

interface ErrorAnswer {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** Answers to failures of Node.js and Fastify, by their codes. */
const frameworkAnswers: Readonly<Record<string, ErrorAnswer>> = {
  FST_ERR_BAD_URL: { status: 400, message: 'The path has a broken percent-encoding.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, message: 'The Content-Type is not a valid media type.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
  HPE_INVALID_EOF_STATE: { status: 400, message: 'The request broke off before its end.' },
  HPE_HEADER_OVERFLOW: { status: 400, message: 'The header is larger than 16 KiB, or has too many lines.' },
};

const unexpected: ErrorAnswer = { status: 500, message: 'The server failed to answer this request.' };
const unavailable: ErrorAnswer = {
  status: 503,
  message: 'The service cannot answer right now: try again later.',
  headers: { 'Retry-After': 1 },
};
const unknownOutcome: ErrorAnswer = {
  ...unavailable,
  message: 'The database did not confirm this request: it may have been carried out.',
};
const ending: ErrorAnswer = { ...unavailable, message: 'The service is ending: ask another one.' };

/**
 * The only place where a failure becomes an answer. A failure that is not known here is a 500 with a fixed
 * sentence.
 *
 * @param realm the realm of the `WWW-Authenticate` of a 401
 */
function answerTo(error: unknown, realm: string, operation?: Operation): ErrorAnswer {
  if (error instanceof InvalidRequestError || error instanceof ListPositionError) {
    return { status: 400, message: error.message };
  }
  if (error instanceof InvalidTokenError) return challenge(realm, error.message, 'invalid_token');
  if (error instanceof UnknownPathError) return { status: 404, message: error.message };
  if (error instanceof MethodNotAllowedError) {
    return { status: 405, message: error.message, headers: { Allow: error.allowed.join(', ') } };
  }
  if (error instanceof UnsupportedMediaTypeError) return { status: 415, message: error.message };
  if (error instanceof TooManyRequestsError) return tooManyRequests(error);
  if (error instanceof OutcomeUnknownError) return unknownOutcome;
  if (error instanceof OverloadError) return { ...unavailable, message: overloads[error.reason] };
  // A table was changed under the running service. /ready answers 503, too, and says what is missing.
  if (error instanceof RefusedStatementError && error.canBeMended) return unavailable;
  if (error instanceof IssuerUnavailableError) return { ...unavailable, message: error.message };
  if (error instanceof ServiceUnavailableError) return unavailable;
  if (error instanceof EndingError) return ending;

  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // The plugin throws these if the header Authorization is missing, or has another scheme.
  if (code.startsWith('FST_BEARER_AUTH_')) {
    return challenge(realm, 'Send an access token in the header "Authorization: Bearer …".');
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { status: 413, message: `The body is larger than ${operation?.requestBody?.limits.bytes} bytes.` };
  }
  return frameworkAnswers[code] ?? (isClientError(error) ? malformed : unexpected);
}

const malformed: ErrorAnswer = { status: 400, message: 'The request is not valid HTTP/1.1.' };
const unreadable = 'could not read a request, or not in time';
const clientErrorCode = /^(?:HPE_|ERR_HTTP_REQUEST_TIMEOUT$)/;

function isClientError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && clientErrorCode.test(String(error.code));
}

/**
 * The headers are those of draft-ietf-httpapi-ratelimit-headers-11. The next request is possible within a
 * second.
 */
function tooManyRequests({ message, perSecond }: TooManyRequestsError): ErrorAnswer {
  const policy = `"owner";q=${perSecond};w=1`;
  const headers = { 'Retry-After': 1, 'RateLimit-Policy': policy, RateLimit: '"owner";r=0;t=1' };
  return { status: 429, message, headers };
}

/** Asks for a token. If the request had none, there must be no error code (RFC 6750, section 3). */
function challenge(realm: string, message: string, error?: 'invalid_token'): ErrorAnswer {
  const reason = error === undefined ? '' : `, error="${error}", error_description="${message}"`;
  return { status: 401, message, headers: { 'WWW-Authenticate': `Bearer realm="${realm}"${reason}` } };
}

/**
 * Makes the app's error handler. If the operation does not document the status of a failure, the answer is a
 * 500 instead.
 *
 * @param realm the realm of the `WWW-Authenticate` of a 401
 * @param mediaType the media type of failures outside of operations
 */
export function replyToError(realm: string, mediaType: string) {
  const sampler = new LogSampler();
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    if (isGone(request, error)) return;
    const reason = refusalOf(error);
    events.emit('refused', reason);
    const { operation } = request.routeOptions.config;
    let answer = answerTo(error, realm, operation);
    if (operation?.responses.has(answer.status) === false) {
      request.log.error({ req: request, err: error }, `${operation.id} does not document ${answer.status}`);
      answer = unexpected;
    }
    const { status, message, headers = {} } = answer;
    if (status === 500) request.log.error({ req: request, err: error }, 'unexpected failure');
    // Load balancers ask /ready all through the drain, and the line "ending" has told of it.
    else if (status === 503 && !(error instanceof EndingError)) {
      const leftOut = sampler.pass(reason);
      if (leftOut !== undefined)
        request.log.warn({ req: request, err: error, ...(leftOut > 0 && { leftOut }) }, 'not available');
    } else if (isClientError(error)) request.log.info({ req: request, status, code: error.code }, unreadable);
    reply
      .code(status)
      .headers(headers)
      .type(operation?.responses.get(status)?.content?.mediaType ?? mediaType)
      .send(failure(status, message).body);
  };
}

/** Errors with these names are told apart by their codes. */
const generalNames: ReadonlySet<string> = new Set(['Error', 'FastifyError', 'error']);

/** @returns a name for the metrics. The message would not do, because it can quote the request. */
function refusalOf(error: unknown): string {
  if (error instanceof OverloadError) return `overload: ${error.reason}`;
  if (!(error instanceof Error)) return 'unknown';
  // The code alone would not do, because Fastify adds codes to our errors, too.
  return 'code' in error && generalNames.has(error.name) ? String(error.code) : error.name;
}

/** @returns whether the connection broke during the body, so that nobody would read an answer */
function isGone({ raw }: FastifyRequest, error: unknown): boolean {
  return raw.destroyed && raw.errored === error;
}

/**
 * Makes a function that answers a message that cannot be read, or came too late. The caller ends the
 * connection.
 *
 * @param mediaType the media type of the answer
 */
export function answerClientError(log: FastifyBaseLogger, mediaType: string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    events.emit('refused', refusalOf(error));
    const { status, message, headers } = answerTo(error, '');
    const body = JSON.stringify(failure(status, message).body);
    const common = headersOfAnswer();
    const head = Object.entries({
      ...common,
      ...headers,
      'Content-Type': mediaType,
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
    // The error itself is not logged: it holds bytes of the request, perhaps a token.
    log.info({ id: common['X-Request-Id'], status, code: error.code, ip: socket.remoteAddress }, unreadable);
  };
}
