import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { lastResponseOn } from './connection.js';

/** Milliseconds. Late bytes are read, because a reset could destroy an answer. */
const lingerMs = 1_000;
/** A round waits two event loop ticks for connections that are not accepted yet. */
const mostRounds = 1_000;

export class EndingError extends Error {
  override readonly name = 'EndingError';
}

/**
 * Loses no request. After `ending`, each answer carries "Connection: close"; when the server closes, idle
 * connections end.
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
  let accepted = 0;
  app.server.on('connection', () => accepted++);
  app.addHook('preClose', async () => {
    // A listener that closes resets connections that nobody has accepted. Each may carry a request.
    for (let round = 0, before = -1; round < mostRounds && accepted !== before; round++) {
      await nextLoopTick();
      before = accepted;
      // From here to the next immediate, the event loop polls once.
      await nextLoopTick();
    }
  });
  const endWhenIdle = (socket: Socket): void => {
    const last = lastResponseOn(socket);
    if (last?.closed === false) last.once('close', () => endWhenIdle(socket));
    else if (socket.writable && heldUpBehind.has(socket) && heldUpBehind.get(socket) === last)
      // The request behind is read again in another tick.
      setImmediate(() => endWhenIdle(socket));
    else end(socket);
  };
  // close() calls it (lib/_http_server.js). Node.js's own destroys sockets, and forgets unused ones.
  Object.assign(app.server, {
    closeIdleConnections: () => {
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
