/**
 * The life of a connection, from its acceptance to its end. A client can send requests faster than they are answered:
 * it pipelines them (RFC 9112, section 9.3.2), and Node.js announces each as soon as it has read its header. Without
 * this file, a delete could overtake the create that was sent before it, one connection could fill the memory with
 * requests, and the 400 for bytes that are not HTTP could come before the answers to the requests before them.
 *
 * So one request of a connection runs at a time, and at most seven others wait. A create and two deletes that arrive
 * together:
 *
 * 1. `#take` hands the create to Fastify. The two deletes wait behind it in `exchanges`.
 * 2. The answer to the create is complete: `#finish` hands on the first delete, and after its answer the second one.
 * 3. No request is left, so the connection is idle. If all places for connections are taken, a new connection gets the
 *    place of the one that has been idle for longest.
 *
 * A message that is not a request of HTTP, breaks off, or comes too late ends its connection (`refuse`): the requests
 * before it are answered, then the failure is, and then our side of the connection ends. Nothing that follows such a
 * message is a request any more, because nobody knows where the next one would begin. Otherwise a body could be read as
 * a request that its sender never made (request smuggling).
 *
 * What it costs: pipelined lists run one after the other. Ordinary clients do not pipeline, and a proxy uses several
 * connections.
 */
import { type IncomingMessage, METHODS, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { events } from '../observability/events.js';
import { watchRest } from './rest.js';

/** Each costs time, and 16 KiB have room for thousands. */
export const maxHeaders = 200;
/** Each takes some kilobytes, besides its body. */
export const maxUnanswered = 8;
/** Once the port is closed, a new connection has this time for its first request. */
const firstRequestMs = 1_000;

/** Node.js's parser also reads the methods of RTSP. */
const methods: ReadonlySet<string | undefined> = new Set(METHODS);

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  /** Without a complete answer, in order. The first one runs, the others wait. */
  readonly exchanges: Exchange[];
  /** The request that arrived last, answered or not. */
  latest?: IncomingMessage;
  /** Ends the connection after the last answer. If there is such an end, what follows is not read as a request. */
  end?: () => void;
  /** What Node.js announces as requests all the same. It keeps each in memory until the connection is closed. */
  ignored: number;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
/** Writes the answer to the socket. */
type AnswerFailure = (failure: Error, socket: Socket) => void;

export class Connections {
  readonly #answerFailure: AnswerFailure;
  readonly #maxOpen: number;
  readonly #open = new Map<Socket, Connection>();
  /** Without a request whose header is whole. The one that has been idle for longest comes first. */
  readonly #idle = new Set<Socket>();
  #handle: Handle = () => {};
  #isClosing = false;

  constructor(answerFailure: AnswerFailure, maxOpen = Number.POSITIVE_INFINITY) {
    this.#answerFailure = answerFailure;
    this.#maxOpen = maxOpen;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get sockets(): Iterable<Socket> {
    return this.#open.keys();
  }

  /** Hands the requests of `server` to `handle`, in order. */
  serve(server: Server, handle: Handle): void {
    this.#handle = handle;
    const take: Handle = (request, response) => this.#take(request, response);
    server.on('request', take);
    // No operation documents a 417: unknown expectations are ignored (RFC 9110, section 10.1.1).
    server.on('checkExpectation', take);
    // Node.js drops the headers beyond this number without a word. One more than allowed shows that there are too many.
    server.maxHeadersCount = maxHeaders + 1;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('connect', ({ socket }: IncomingMessage) => this.#refuseTunnel(socket));
    // Nobody listens for "upgrade". Node.js then ignores the header Upgrade, as a server may (RFC 9110, section 7.8); but
    // connection-header.ts closes after the answer.
  }

  /** Whether no other request of the connection waits behind this one. */
  isLast({ socket }: IncomingMessage): boolean {
    const unanswered = this.#open.get(socket)?.exchanges.length ?? 0;
    return unanswered <= 1;
  }

  /** Node.js itself closes idle connections when its server closes, but not those that had no request yet. */
  close(): void {
    this.#isClosing = true;
    setTimeout(() => {
      for (const socket of this.#idle) socket.destroy();
    }, firstRequestMs).unref();
  }

  /** Ends a connection whose next message cannot be read, or did not arrive in time (Node.js's "clientError"). */
  refuse(failure: Error, socket: Socket): void {
    const connection = this.#open.get(socket);
    // The parser fails again at each packet.
    if (connection?.end !== undefined) return;
    // The client has gone.
    if (connection === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    const { exchanges, latest } = connection;
    const last = exchanges.at(-1);
    const isInBody = latest?.complete === false;
    // It gets no second answer.
    const isAnswered = isInBody && (last?.request !== latest || last?.response.headersSent === true);
    // Nobody can read its body to the end, so nobody else will answer it.
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
      const [longestIdle] = this.#idle;
      (longestIdle ?? socket).destroy();
      if (longestIdle === undefined) return;
      this.#forget(longestIdle);
    }
    this.#open.set(socket, { exchanges: [], ignored: 0 });
    this.#idle.add(socket);
    events.emit('connections', this.#open.size);
    socket.once('close', () => this.#forget(socket));
  }

  #forget(socket: Socket): void {
    if (!this.#open.delete(socket)) return;
    this.#idle.delete(socket);
    events.emit('connections', this.#open.size);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    const failure = failureOf(request);
    if (failure !== undefined) this.refuse(failure, socket);
    if (connection === undefined || connection.end !== undefined) {
      // Otherwise its body would stay in the buffers of the kernel, and a close would reset the connection.
      request.resume();
      if (connection !== undefined && ++connection.ignored > maxUnanswered) cutPipeline(socket);
      return;
    }
    const exchange = { request, response };
    connection.latest = request;
    connection.exchanges.push(exchange);
    this.#idle.delete(socket);
    if (connection.exchanges.length > maxUnanswered) {
      cutPipeline(socket);
    } else if (connection.exchanges.length === 1) this.#run(exchange, connection);
  }

  #run(exchange: Exchange, connection: Connection): void {
    exchange.response.once('close', () => this.#finish(exchange, connection));
    this.#handle(exchange.request, exchange.response);
  }

  #finish(exchange: Exchange, connection: Connection): void {
    const { exchanges } = connection;
    const { request } = exchange;
    // Its body broke.
    if (exchanges[0] !== exchange) return;
    exchanges.shift();
    // The client has gone, or the answer said "Connection: close": what waits is not carried out (RFC 9112, 9.6).
    if (!request.socket.writable) return;
    const [next] = exchanges;
    if (next !== undefined) this.#run(next, connection);
    else if (connection.end !== undefined) connection.end();
    else if (request.complete) this.#becomeIdle(request);
    else this.#awaitBody(request, connection);
  }

  /** For a request that was answered before its body had come, usually because it was refused. */
  #awaitBody(request: IncomingMessage, { exchanges }: Connection): void {
    const { socket } = request;
    const stop = watchRest(socket);
    request.once('close', () => {
      stop();
      if (socket.writable && exchanges.length === 0) this.#becomeIdle(request);
    });
  }

  #becomeIdle(request: IncomingMessage): void {
    const { socket } = request;
    // The answer to a body that had not come said "keep-alive" (connection-header.ts).
    if (this.#isClosing || asksToClose(request)) socket.destroySoon();
    else this.#idle.add(socket);
  }

  /** CONNECT (RFC 9110, section 9.3.6). Node.js has taken its own listeners off the socket. */
  #refuseTunnel(socket: Socket): void {
    socket.on('error', () => {});
    const connection = this.#open.get(socket);
    // Without Node.js's listeners, an earlier answer would not go on.
    if (connection === undefined || connection.exchanges.length > 0) {
      socket.destroy();
      return;
    }
    // Nobody else reads from it, and its end would not be seen.
    socket.resume();
    this.refuse(withCode('CONNECT', 'TUNNEL_REFUSED'), socket);
  }
}

function cutPipeline(socket: Socket): void {
  events.emit('connectionCut', 'pipelined');
  socket.destroy();
}

/** Our answer must not be lost, so this reads what the client still sends (rest.ts). */
function endThenWatch(socket: Socket): void {
  socket.end();
  watchRest(socket);
}

function failureOf({ method, rawHeaders }: IncomingMessage): Error | undefined {
  if (!methods.has(method)) return withCode('not a method of HTTP', 'HPE_INVALID_METHOD');
  // Names and values.
  if (rawHeaders.length > 2 * maxHeaders) return withCode('too many headers', 'HPE_HEADER_OVERFLOW');
  return undefined;
}

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

/** RFC 9112, section 9.3. */
function asksToClose({ httpVersion, headers: { connection = '' } }: IncomingMessage): boolean {
  if (httpVersion === '1.0') return !/\bkeep-alive\b/i.test(connection);
  return /\bclose\b/i.test(connection);
}
