import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The last request that came on a connection, whole or not, and its answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type OnClientError = (error: NodeJS.ErrnoException, socket: Socket) => void;

/**
 * By open connection. Answers go out in the order of the requests, so the end of the last one is the end of
 * all.
 */
const lastExchanges = new WeakMap<Socket, Exchange>();
/** Connections with a message that Node.js could not read. */
const broken = new WeakSet<Socket>();
/** Requests whose body broke before anybody read it. */
const faults = new WeakMap<IncomingMessage, Error>();

/** Records the last exchange of each connection for `inTurn`, and lets every request reach a route. */
export function watchConnections(app: FastifyInstance): void {
  // A client such as socat may end its side after its requests, and wait for the answers. By default, Node.js
  // would then end the other side before it answers (lib/_http_server.js; undocumented).
  Object.assign(app.server, { httpAllowHalfOpen: true });
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    lastExchanges.set(request.socket, { request, response });
  });
  // RFC 9110, section 10.1.1 allows a 417 for an unknown expectation. No operation documents a 417, so the
  // service ignores the expectation.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('preParsing', (request, _reply, _payload, done) => done(faults.get(request.raw) ?? null));
}

/**
 * Answers a message that Node.js could not read, or that did not come in time, in its turn: RFC 9112, section
 * 9.3.2 asks for answers in the order of the requests. If a body broke, its request fails and is answered
 * like any other. If a new message broke, `answer` is called after the answers to all requests before it.
 */
export function inTurn(answer: OnClientError): OnClientError {
  return (error, socket) => {
    // The client has reset the connection, so nobody can be answered.
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    // The parser fails again at each packet that follows.
    if (broken.has(socket)) return;
    broken.add(socket);
    const last = lastExchanges.get(socket);
    if (last === undefined) answer(error, socket);
    else if (last.request.complete) afterAnswer(last, () => answer(error, socket));
    else {
      fail(last, error);
      // If it was answered before the end of its body, it gets no second answer.
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
  // If the client has ended its side, Node.js ends the other side before "close", after the last answer of a
  // connection that is kept alive. A second call of `next` then does nothing.
  response.prependOnceListener('finish', () => {
    if (socket.readableEnded && response.shouldKeepAlive) next();
  });
}

/** Fails the request, unless nobody reads its body: then it is carried out and answered. */
function fail({ request, response }: Exchange, error: Error): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  faults.set(request, error);
  // A reader of the body listens for "error". destroy() would end the connection.
  if (request.listenerCount('error') > 0) request.emit('error', error);
}
