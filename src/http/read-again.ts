import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { listenInstead } from './other-protocols.js';
import { queuedAnswers } from './queued-answers.js';
import { isCrowded } from './reading-turns.js';
import { limitSmallChunks } from './small-chunks.js';

/** Pipelined requests of a connection that run at the same time, besides the first. */
const mostQueued = { usually: 7, crowded: 1 };

/* c8 ignore next -- never called: it is taken off at once. */
const ignore = (): void => {};

/** RFC 9110, section 9.2.1. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Missing in Node.js's types. */
interface Incoming extends IncomingMessage {
  readonly upgrade: boolean;
}

type OnIncoming = (request: Incoming, shouldKeepAlive: boolean) => number;

interface Answers {
  /** The last request, until its answer is complete. */
  unanswered(socket: Socket): IncomingMessage | undefined;
  afterLast(socket: Socket, next: () => void): void;
}

/**
 * Stops reading at a request, and reads it again once earlier ones are answered: if too many are pipelined
 * (bytes take less memory than requests), if it or an earlier one is not safe, or if it has Upgrade (Node.js
 * hides its body's errors and what follows).
 */
export function readAgain(server: Server, open: ReadonlySet<Socket>, answers: Answers): void {
  const most = () => (isCrowded(open) ? mostQueued.crowded : mostQueued.usually);
  const mustWait = (request: IncomingMessage): boolean => {
    const queued = queuedAnswers(request.socket).size;
    const before = answers.unanswered(request.socket);
    if (queued === 0 && before === undefined) return false;
    // Only safe requests may run at the same time (RFC 9112, section 9.3.2). So what is queued is safe.
    return queued >= most() || !isSafe(request) || (before !== undefined && !isSafe(before));
  };
  const holdUp = (socket: Socket) => {
    limitSmallChunks(socket);
    stopParser(socket, mustWait);
  };
  // Node.js's own; the others have seen this connection.
  const [accept] = server.listeners('connection');
  server.on('connection', holdUp);
  server.on('upgrade', (request, _socket, rest) => {
    const { socket } = request;
    const stopListening = listenInstead(socket);
    socket.unshift(rest);
    socket.unshift(headWithoutUpgrade(request));
    const acceptAgain = () => {
      if (!socket.writable) return;
      stopListening();
      accept?.call(server, socket);
      // Node.js would read on from the handle, though the stream has bytes: a listener of "data" ends that
      // (`unconsume` in lib/_http_server.js).
      socket.on('data', ignore).off('data', ignore);
      restart(socket);
      holdUp(socket);
    };
    // In another tick: refused requests are answered at once, and 64 KiB have thousands of them.
    answers.afterLast(socket, () => setImmediate(acceptAgain));
  });
}

/**
 * The unread body of the request before has stopped the handle, and what would have started it again was taken
 * off with the parser (lib/_http_server.js, onSocketResume). The stream still waits for it.
 */
function restart(socket: Socket): void {
  const { reading }: { reading: boolean } = Reflect.get(socket, '_readableState');
  const handle: { reading: boolean; readStart(): void } | null = Reflect.get(socket, '_handle');
  if (!reading || handle === null || handle.reading) return;
  handle.reading = true;
  handle.readStart();
}

function isSafe({ method = '' }: IncomingMessage): boolean {
  return safeMethods.has(method);
}

/**
 * Undocumented (lib/_http_server.js, parserOnIncoming): 2 stops the parser, as an Upgrade does. Node.js 26 would read
 * the body of an Upgrade first.
 */
function stopParser(socket: Socket, mustWait: (request: IncomingMessage) => boolean): void {
  const parser: { onIncoming?: OnIncoming } | undefined = Reflect.get(socket, 'parser');
  const onIncoming = parser?.onIncoming;
  /* c8 ignore next -- another Node.js may have none: pipelined requests then have no bound. */
  if (parser === undefined || onIncoming === undefined) return;
  parser.onIncoming = (request, shouldKeepAlive) => {
    if (!request.upgrade && !mustWait(request)) return onIncoming(request, shouldKeepAlive);
    Object.assign(request, { upgrade: true });
    return 2;
  };
}

/** An Upgrade may be ignored (RFC 9110, section 7.8). */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
