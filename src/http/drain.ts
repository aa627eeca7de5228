import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { lastResponseOn } from './connection.js';
import { readOn } from './reading-turns.js';

/** Milliseconds. Late bytes are read, because a reset could destroy an answer. */
const lingerMs = 1_000;
/** Milliseconds after a connection is accepted in which its first request may be on its way. */
const firstRequestMs = 1_000;

export class EndingError extends Error {
  override readonly name = 'EndingError';
}

/**
 * Loses no request. After `ending`, each answer carries "Connection: close"; when the server closes, idle
 * connections end, but one that is new has a second for its first request.
 */
export function endConnections(
  app: FastifyInstance,
  sockets: ReadonlySet<Socket>,
  ending?: AbortSignal,
): void {
  const late = new WeakSet<IncomingMessage>();
  app.addHook('onRequest', (request, reply, done) => {
    // A server must not process what follows its "Connection: close" (RFC 9112, section 9.6).
    if (late.has(request.raw)) reply.hijack();
    else done();
  });
  /** The last response when a request was held up to be read again. */
  const heldUpBehind = new WeakMap<Socket, ServerResponse | undefined>();
  app.server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
    const previous = lastResponseOn(socket);
    heldUpBehind.set(socket, previous);
    if (ending?.aborted) keepOpen(previous);
  });
  ending?.addEventListener('abort', () => {
    for (const socket of sockets) {
      const last = lastResponseOn(socket);
      if (last !== heldUpBehind.get(socket)) closeWith(last);
    }
    app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const previous = lastResponseOn(socket);
      if (!socket.writable || hasSaidClose(previous)) late.add(request);
      // Of pipelined requests, the last answer closes.
      keepOpen(previous);
      closeWith(response);
    });
  });
  const acceptedAt = new WeakMap<Socket, number>();
  app.server.on('connection', (socket: Socket) => acceptedAt.set(socket, performance.now()));
  const endWhenIdle = (socket: Socket): void => {
    const last = lastResponseOn(socket);
    const age = performance.now() - (acceptedAt.get(socket) ?? 0);
    if (last?.closed === false) last.once('close', () => endWhenIdle(socket));
    else if (socket.writable && heldUpBehind.has(socket) && heldUpBehind.get(socket) === last)
      // The request behind is read again in another tick.
      setImmediate(() => endWhenIdle(socket));
    else if (last === undefined && age < firstRequestMs)
      // After the timer, the event loop polls: a request that has arrived is read before.
      setTimeout(() => setImmediate(() => endWhenIdle(socket)), firstRequestMs - age).unref();
    else end(socket);
  };
  // close() calls it (lib/_http_server.js). Node.js's own destroys sockets, and forgets unused ones.
  Object.assign(app.server, {
    closeIdleConnections: async () => {
      // The listeners close in this tick. `acceptLast` has stopped reading.
      await nextLoopTick();
      for (const socket of sockets) readOn(socket);
      // The event loop polls once before the next immediate.
      await nextLoopTick();
      for (const socket of sockets) endWhenIdle(socket);
    },
  });
}

function keepOpen(response: ServerResponse | undefined): void {
  if (response?.headersSent === false) response.shouldKeepAlive = true;
}

function closeWith(response: ServerResponse | undefined): void {
  if (response?.headersSent === false) response.shouldKeepAlive = false;
}

function hasSaidClose(response: ServerResponse | undefined): boolean {
  return response?.headersSent === true && !response.shouldKeepAlive;
}

function end(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
