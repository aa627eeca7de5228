import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { closeLingering, lingerIf } from './lingering-close.js';
import { isOfOtherProtocol, otherProtocolError, refuseTunnels } from './other-protocols.js';
import { closeWithConnection } from './queued-answers.js';
import { readAgain } from './read-again.js';
import { afterTurn } from './reading-turns.js';

/** Each costs time: the 16 KiB of a header could have 16,000. */
export const mostHeaders = 200;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type OnClientError = (error: NodeJS.ErrnoException, socket: Socket) => void;

/** The last one of each connection: its answer ends after all earlier ones. */
const lastExchanges = new WeakMap<Socket, Exchange>();
/** Connections with an unreadable message. */
const broken = new WeakSet<Socket>();
/** Why a body could not be read. */
const faults = new WeakMap<IncomingMessage, Error>();

/** Records exchanges for `afterEarlierAnswers`, and lets every request reach a route. */
export function watchConnections(app: FastifyInstance, open: ReadonlySet<Socket>): void {
  const { server } = app;
  // Undocumented (lib/_http_server.js): answers a client that has ended its side, such as socat.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node.js 20 reads no more, and says nothing.
  server.maxHeadersCount = mostHeaders + 1;
  server.on('connection', (socket) => lingerIf(socket, isStillSending));
  refuseTunnels(server);
  readAgain(server, open, {
    unanswered(socket) {
      const last = lastExchanges.get(socket);
      return last?.response.writableEnded === false ? last.request : undefined;
    },
    afterLast(socket, next) {
      const last = lastExchanges.get(socket);
      if (last === undefined) next();
      else afterAnswer(last, () => afterTurn(socket, next));
    },
  });
  // Fastify's own listener.
  const [route] = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const fault = faultOf(request);
    if (fault !== undefined) {
      server.emit('clientError', fault, socket);
      return;
    }
    // Only a queued answer has no socket yet.
    if (response.socket === null) {
      if (broken.has(socket)) return;
      closeWithConnection(socket, response);
    }
    if (request.httpVersionMinor === 0) closeAfterChunks(request, response);
    lastExchanges.set(socket, { request, response });
    route?.call(server, request, response);
  });
  // No operation documents a 417: unknown expectations are ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  app.addHook('preParsing', (request, _reply, _payload, done) => done(faults.get(request.raw) ?? null));
}

function faultOf(request: IncomingMessage): Error | undefined {
  if (isOfOtherProtocol(request)) return otherProtocolError();
  if (request.rawHeaders.length <= 2 * mostHeaders) return undefined;
  return Object.assign(new Error('too many headers'), { code: 'HPE_HEADER_OVERFLOW' });
}

export function lastResponseOn(socket: Socket): ServerResponse | undefined {
  return lastExchanges.get(socket)?.response;
}

/** Such framing cannot be trusted (RFC 9112, section 6.1). */
function closeAfterChunks({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers['transfer-encoding'] !== undefined) response.shouldKeepAlive = false;
}

function isStillSending(socket: Socket): boolean {
  return lastExchanges.get(socket)?.request.complete === false;
}

/**
 * Answers an unreadable or late message after all earlier requests (RFC 9112, section 9.3.2). If a body
 * broke, its request fails instead.
 */
export function afterEarlierAnswers(answer: OnClientError): OnClientError {
  return (error, socket) => {
    // The client has reset the connection.
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    // The parser fails again at each packet.
    if (broken.has(socket)) return;
    broken.add(socket);
    const answerAndClose = () => {
      if (!socket.writable) return;
      answer(error, socket);
      closeLingering(socket);
    };
    const last = lastExchanges.get(socket);
    if (last === undefined) answerAndClose();
    else if (last.request.complete) afterAnswer(last, answerAndClose);
    else {
      fail(last, error);
      // An answered request gets no second answer.
      afterAnswer(last, () => socket.destroySoon());
    }
  };
}

function afterAnswer({ request: { socket }, response }: Exchange, next: () => void): void {
  if (response.closed) {
    next();
    return;
  }
  response.once('close', next);
  // If the client has ended its side, Node.js ends ours before "close".
  response.prependOnceListener('finish', () => {
    if (socket.readableEnded && response.shouldKeepAlive) next();
  });
}

/** Fails the request, unless nobody reads its body. */
function fail({ request, response }: Exchange, error: Error): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  faults.set(request, error);
  // destroy() would end the connection.
  if (request.listenerCount('error') > 0) request.emit('error', error);
}
