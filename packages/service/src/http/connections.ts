/**
 * The life of a connection, from its acceptance to its end. docs/connections.md tells it for operators, with
 * a picture.
 *
 * A client can send requests faster than they are answered: it pipelines them (RFC 9112, section 9.3.2), and
 * Node.js announces each request as soon as it has read its header. Without this file, a delete could
 * overtake the create that was sent before it, one connection could fill the memory with requests, and the
 * 400 for bytes that are not HTTP could come before the answers to the requests before them.
 *
 * So one request of a connection runs at a time, and at most seven others wait. This is what happens to a
 * create and two deletes that arrive together:
 *
 * 1. `#accept` has noted the connection as idle. If `maxOpen` connections were open, the one that had been
 *    idle for longest was closed; if none was idle, the new one was.
 * 2. `#take` hands the create to Fastify. The two deletes wait behind it in `exchanges`.
 * 3. The answer to the create is complete: `#finish` hands on the first delete, and after its answer the
 *    second one.
 * 4. If an answer was complete before the body of its request (a 413, for example), `#awaitBody` lets Node.js
 *    read and drop the rest, within the limits of lingering.ts. The connection counts as idle since that answer.
 *    Otherwise, clients without a token could take all places by bodies that they never finish.
 * 5. No request is left, so the connection is idle again. If the server is closing, the connection is closed
 *    instead.
 *
 * If a ninth request arrives while none of eight is answered, the connection is closed at once.
 *
 * A message that is not a request of HTTP, breaks off, or comes too late ends its connection (`refuse`): the
 * service answers the requests before it, then the message itself, and then ends its side of the connection.
 * Nothing that follows such a message is carried out, because nobody knows where the next request would
 * begin. Otherwise a body could be read as a request that its sender never made (request smuggling). If
 * something that looks like a request follows, or a CONNECT comes, the connection is closed at once.
 *
 * The cost: pipelined lists run one after the other. Ordinary clients do not pipeline, and a proxy uses
 * several connections.
 */
import { type IncomingMessage, METHODS, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { events } from '../observability/events.js';
import { watchLingering } from './lingering.js';

/** The 16 KiB of a header have room for thousands of lines, and each line costs time. */
export const maxHeaders = 200;
/**
 * How many requests a connection may have, the running one included. Each takes some kilobytes and its body.
 */
export const maxUnanswered = 8;
/** How long a connection without a request stays open once the port is closed. */
const firstRequestMs = 1_000;

/** The methods of HTTP. Node.js's parser also reads those of RTSP, such as SETUP. */
const methods: ReadonlySet<string | undefined> = new Set(METHODS);

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface ConnectionState {
  /** The requests without a complete answer, in order. The first one runs, the others wait. */
  readonly exchanges: Exchange[];
  /**
   * When its last answer was complete, in milliseconds of performance.now(); undefined if a request has no
   * complete answer. The body of an answered request may still be coming.
   */
  idleSince: number | undefined;
  /** The request that arrived last, answered or not. */
  latest?: IncomingMessage;
  /** Ends the connection after the last answer. Set by `refuse`. */
  end?: () => void;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
/**
 * Writes the answer to a message that is not a request. It writes to the socket itself, because no response
 * could be used.
 */
type AnswerFailure = (failure: Error, socket: Socket) => void;

/** The open connections of a server, and the requests that each of them has. */
export class Connections {
  readonly #answerFailure: AnswerFailure;
  readonly #log: Pick<FastifyBaseLogger, 'info'>;
  readonly #maxOpen: number;
  readonly #open = new Map<Socket, ConnectionState>();
  #handle: Handle = () => {};
  #isClosing = false;

  /** @param maxOpen how many connections may be open */
  constructor(
    answerFailure: AnswerFailure,
    log: Pick<FastifyBaseLogger, 'info'>,
    maxOpen = Number.POSITIVE_INFINITY,
  ) {
    this.#answerFailure = answerFailure;
    this.#log = log;
    this.#maxOpen = maxOpen;
  }

  /** Whether `close` was called. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Hands the requests of `server` to `handle`: in order, and one of each connection at a time. */
  serve(server: Server, handle: Handle): void {
    this.#handle = handle;
    const take: Handle = (request, response) => this.#take(request, response);
    server.on('request', take);
    // No operation documents a 417: unknown expectations are ignored (RFC 9110, section 10.1.1).
    server.on('checkExpectation', take);
    // Node.js drops the headers beyond this number without a word. One more than allowed shows that there are
    // too many.
    server.maxHeadersCount = maxHeaders + 1;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('connect', ({ socket }: IncomingMessage) => this.#cut(socket, 'CONNECT'));
    // Nobody listens for "upgrade". Node.js then ignores the header Upgrade, as a server may (RFC 9110,
    // section 7.8); but connection-header.ts closes after the answer.
  }

  /** @returns whether no other request of the connection waits behind this one */
  isLast({ socket }: IncomingMessage): boolean {
    const unanswered = this.#open.get(socket)?.exchanges.length ?? 0;
    return unanswered <= 1;
  }

  /**
   * Begins the end of all connections. When its server closes, Node.js itself closes the connections that are
   * idle after a request, and from 26 on also those that have had none yet (nodejs/node#63470). Before 26, this
   * closes these, after the time for a request that is on its way.
   */
  close(): void {
    this.#isClosing = true;
    setTimeout(() => {
      for (const [socket, { idleSince, latest }] of this.#open) {
        // A reset under a body that still comes could destroy the answer to it (lingering.ts).
        if (idleSince !== undefined && latest?.complete !== false) socket.destroy();
      }
    }, firstRequestMs).unref();
  }

  /**
   * Ends a connection whose next message cannot be read, or did not arrive in time (Node.js's "clientError").
   */
  refuse(failure: Error, socket: Socket): void {
    const connection = this.#open.get(socket);
    // The parser fails again at each packet, and the first failure has been noted.
    if (connection?.end !== undefined) return;
    // The client has gone, so nobody would read an answer.
    if (connection === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    const { exchanges, latest } = connection;
    const last = exchanges.at(-1);
    const isInBody = latest?.complete === false;
    // A request whose answer has begun before its body broke off gets no second answer.
    const isAnswered = isInBody && (last?.request !== latest || last?.response.headersSent === true);
    // Its handler will never get the rest of the body, so the answer to the failure is the answer to this
    // request.
    if (isInBody && !isAnswered) exchanges.pop();
    connection.end = () => {
      if (!isAnswered) this.#answerFailure(failure, socket);
      endThenWatch(socket);
    };
    if (exchanges.length === 0) connection.end();
  }

  #accept(socket: Socket): void {
    if (this.#open.size >= this.#maxOpen) {
      events.emit('connectionCut', 'too many');
      const longestIdle = this.#longestIdle();
      (longestIdle ?? socket).destroy();
      if (longestIdle === undefined) return;
      this.#forget(longestIdle);
    }
    this.#open.set(socket, { exchanges: [], idleSince: performance.now() });
    events.emit('connections', this.#open.size);
    socket.once('close', () => this.#forget(socket));
  }

  #forget(socket: Socket): void {
    if (this.#open.delete(socket)) events.emit('connections', this.#open.size);
  }

  /**
   * Looks at all connections, but only if as many are open as may be: 0.2 ms for 10,000. To keep them in the
   * order of their idleness would cost something with each request.
   */
  #longestIdle(): Socket | undefined {
    let longest: Socket | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [socket, { idleSince = Number.POSITIVE_INFINITY }] of this.#open) {
      if (idleSince < least) [longest, least] = [socket, idleSince];
    }
    return longest;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    // Node.js reads the rest of a packet whose connection was closed meanwhile.
    if (connection === undefined || socket.destroyed) return;
    // It has sent more behind a message that ended its connection.
    if (connection.end !== undefined) {
      this.#cut(socket, 'pipelined');
      return;
    }
    const failure = failureOf(request);
    if (failure !== undefined) {
      // If nobody read its body, it would stay in the buffers of the kernel, and a close would reset the
      // connection.
      request.resume();
      this.refuse(failure, socket);
      return;
    }
    const exchange = { request, response };
    connection.latest = request;
    connection.exchanges.push(exchange);
    connection.idleSince = undefined;
    if (connection.exchanges.length > maxUnanswered) this.#cut(socket, 'pipelined');
    else if (connection.exchanges.length === 1) this.#run(exchange, connection);
  }

  #run(exchange: Exchange, connection: ConnectionState): void {
    exchange.response.on('close', () => this.#finish(exchange, connection));
    this.#handle(exchange.request, exchange.response);
  }

  #finish(exchange: Exchange, connection: ConnectionState): void {
    const { exchanges } = connection;
    const { request } = exchange;
    // `refuse` has removed this exchange already, because the body of its request broke off.
    if (exchanges[0] !== exchange) return;
    exchanges.shift();
    // The client has gone, or the answer said "Connection: close". What waits is not carried out (RFC 9112,
    // section 9.6).
    if (!request.socket.writable) return;
    const [next] = exchanges;
    if (next !== undefined) this.#run(next, connection);
    else if (connection.end !== undefined) connection.end();
    else if (request.complete) {
      connection.idleSince = performance.now();
      this.#closeIfAsked(request);
    } else this.#awaitBody(request, connection);
  }

  /**
   * Waits for the rest of a body that was answered before it had come, usually because the request was
   * refused.
   */
  #awaitBody(request: IncomingMessage, connection: ConnectionState): void {
    const { socket } = request;
    connection.idleSince = performance.now();
    const stop = watchLingering(socket);
    request.once('close', () => {
      stop();
      if (socket.writable && connection.exchanges.length === 0) this.#closeIfAsked(request);
    });
  }

  /**
   * Closes an idle connection if its client or the end of the service asks for that. Node.js would do so
   * itself, but the answer before the end of a body says "keep-alive" (connection-header.ts).
   */
  #closeIfAsked(request: IncomingMessage): void {
    if (this.#isClosing || asksToClose(request)) request.socket.destroySoon();
  }

  /** Closes a connection at once, and says so, because its client gets no answer that would. */
  #cut(socket: Socket, reason: 'CONNECT' | 'pipelined'): void {
    events.emit('connectionCut', reason);
    this.#log.info({ ip: socket.remoteAddress, reason }, 'closed a connection without an answer');
    socket.destroy();
  }
}

/** Ends our side after what was written. A close at once could destroy that answer on its way (lingering.ts). */
function endThenWatch(socket: Socket): void {
  socket.end();
  watchLingering(socket);
}

function failureOf({ method, rawHeaders }: IncomingMessage): Error | undefined {
  if (!methods.has(method)) return withCode('not a method of HTTP', 'HPE_INVALID_METHOD');
  // rawHeaders holds names and values in turn.
  if (rawHeaders.length > 2 * maxHeaders) return withCode('too many headers', 'HPE_HEADER_OVERFLOW');
  return undefined;
}

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

/** @returns whether a client wants the connection closed after the answer (RFC 9112, section 9.3) */
function asksToClose({ httpVersion, headers: { connection = '' } }: IncomingMessage): boolean {
  if (httpVersion === '1.0') return !/\bkeep-alive\b/i.test(connection);
  return /\bclose\b/i.test(connection);
}
