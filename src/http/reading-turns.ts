import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Turns } from '../batching/turns.js';

/** Connections that are read again in one event loop tick. */
export const perTick = 24;

interface Handle {
  /** False if Node.js itself has stopped, because a body is not read. */
  readonly reading: boolean;
  readStart(): void;
  readStop(): void;
}

/** Connections that wait for their turn. */
const waiting = new Set<Socket>();
/** What goes on then; of few connections. */
const calls = new Map<Socket, () => void>();

/** Calls `next` at the connection's turn; at once if it waits for none. */
export function afterTurn(socket: Socket, next: () => void): void {
  if (waiting.has(socket)) calls.set(socket, next);
  else next();
}

export function isCrowded(open: ReadonlySet<Socket>): boolean {
  return open.size > perTick;
}

/**
 * With many connections, one tick would read all of them, and everybody would wait for its end. So a
 * connection is read again only when its owner has its turn.
 *
 * @returns a function for answers that no hook sees
 */
export function readInTurns(
  app: FastifyInstance,
  open: ReadonlySet<Socket>,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const answered = new Turns<Socket>();
  let isEnding = false;
  /** In this tick. More may be waiting, so it is short; but it reads more connections than it adds. */
  let accepted = 0;
  app.server.on('connection', () => accepted++);
  const read = (sockets: readonly Socket[]) => {
    for (const socket of sockets) {
      readOn(socket);
      waiting.delete(socket);
      if (calls.size === 0) continue;
      const call = calls.get(socket);
      calls.delete(socket);
      call?.();
    }
  };
  const readSome = () => {
    read(answered.take(accepted === 0 ? perTick : Math.min(perTick, accepted + 1)));
    if (answered.length > 0) readSoon();
  };
  const readSoon = () => {
    accepted = 0;
    setImmediate(readSome);
  };
  const takeTurn = ({ raw: { socket }, caller }: FastifyRequest, { raw }: FastifyReply) => {
    if (!isCrowded(open) || isEnding || !raw.shouldKeepAlive) return;
    // An earlier answer of pipelined requests has asked for the same turn.
    if (waiting.has(socket)) return;
    stopReading(socket);
    if (answered.length === 0) readSoon();
    // Requests without an owner take turns as one. No owner has this name.
    answered.add(String(caller ?? ''), socket);
    waiting.add(socket);
  };
  app.addHook('onResponse', (request, reply, done) => {
    done();
    takeTurn(request, reply);
  });
  // Before idle connections end: one that waits for its turn may have a request.
  app.addHook('preClose', (done) => {
    isEnding = true;
    read(answered.take(answered.length));
    done();
  });
  return (request, reply) => void reply.raw.once('finish', () => takeTurn(request, reply));
}

export function stopReading(socket: Socket): void {
  handleOf(socket)?.readStop();
}

export function readOn(socket: Socket): void {
  const handle = handleOf(socket);
  if (handle?.reading) handle.readStart();
}

/** Undocumented (lib/net.js). The stream's own pause() would also stop what HTTP's parser holds. */
function handleOf(socket: Socket): Handle | null | undefined {
  return Reflect.get(socket, '_handle');
}
