import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Turns } from '../batching/turns.js';

/** Connections that are read again in a turn of the event loop. */
const perTurn = 32;

interface Handle {
  readStart(): void;
  readStop(): void;
}

/**
 * If there are many connections, a turn of the event loop reads only some of those that were answered, in turns of
 * their owners: others wait for the turn's end, as do new connections.
 */
export function readInTurns(app: FastifyInstance, open: ReadonlySet<Socket>): void {
  const answered = new Turns<Socket>();
  const readSome = () => {
    for (const socket of answered.take(perTurn)) handleOf(socket)?.readStart();
    if (answered.length > 0) setImmediate(readSome);
  };
  app.addHook('onResponse', (request, _reply, done) => {
    done();
    if (open.size <= perTurn) return;
    const { raw, caller } = request;
    const { socket } = raw;
    handleOf(socket)?.readStop();
    if (answered.length === 0) setImmediate(readSome);
    answered.add(String(caller), socket);
  });
}

/** Undocumented (lib/net.js): HTTP's parser reads the handle, so that pause() does not stop it. */
function handleOf(socket: Socket): Handle | null | undefined {
  return Reflect.get(socket, '_handle');
}
