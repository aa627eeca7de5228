import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The last request that came on a connection, whole or not, and its answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type OnClientError = (error: NodeJS.ErrnoException, socket: Socket) => void;

/** Of open connections. Answers go out in the order of the requests, so the last one says when all are out. */
const lastExchanges = new WeakMap<Socket, Exchange>();
/** Connections on which what comes is not understood any more. */
const broken = new WeakSet<Socket>();
/** Requests that broke before their body was asked for. */
const faults = new WeakMap<IncomingMessage, Error>();

/** Notes what is under way on each connection, for the function below, and lets all of it come to a route. */
export function watchConnections(app: FastifyInstance): void {
  // A client may end its side when it has asked, as socat does, and wait for its answers all the same. By default,
  // Node.js ends the other side, too, before they are there (lib/_http_server.js; its documents do not name this).
  // One that has gone without a word is noticed at the first answer, or by the timeout for those who do not read.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    lastExchanges.set(request.socket, { request, response });
  });
  // RFC 9110, section 10.1.1: an expectation that nobody knows may be a 417. No operation documents that, and
  // Node.js would send it without a body, so that such a request is taken like one without an expectation.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('preParsing', (request, _reply, _payload, done) => done(faults.get(request.raw) ?? null));
}

/**
 * What Node.js could not read, or did not get in time, is answered in its turn: RFC 9112, section 9.3.2 wants
 * the answers in the order of the requests, and a client takes what comes first for the answer to its first.
 *
 * Where it is the body of a request that is under way, that request fails with it, and is answered like any
 * other. Where it is a new message, `answer` is called once all requests before it are answered.
 */
export function inTurn(answer: OnClientError): OnClientError {
  return (error, socket) => {
    // Reset by the client: nobody is there to be answered.
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    // The parser fails anew at each packet that follows.
    if (broken.has(socket)) return;
    broken.add(socket);
    const last = lastExchanges.get(socket);
    if (last === undefined) answer(error, socket);
    else if (last.request.complete) afterAnswer(last, () => answer(error, socket));
    else {
      fail(last, error);
      // Also where its answer was there before the end of its body: it gets no second one.
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
  // Where the client has ended its side, and had not said that it wants no more answers, Node.js ends ours before that, as
  // soon as the last answer is out. On what is ended, `next` does nothing a second time.
  response.prependOnceListener('finish', () => {
    if (socket.readableEnded && response.shouldKeepAlive) next();
  });
}

/** A request whose body nobody waits for, or not any more, is carried out, and has its answer. */
function fail({ request, response }: Exchange, error: Error): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  faults.set(request, error);
  // Whoever reads a body listens for its failure. It is not destroyed: that would end the connection.
  if (request.listenerCount('error') > 0) request.emit('error', error);
}
