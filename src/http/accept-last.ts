import type { Socket } from 'node:net';
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { stopReading } from './reading-turns.js';

/** So many ticks take a millisecond or two, in which a client that was answered connects again. */
const quietTicks = 50;
/** Milliseconds. Clients may connect without an end. */
const longestMs = 500;

/**
 * A listener that closes resets connections that nobody has accepted, and each may carry a request. So the
 * server closes after some ticks of the event loop in which nobody connected and nobody was answered.
 */
export function acceptLast(app: FastifyInstance, sockets: ReadonlySet<Socket>): void {
  let changes = 0;
  app.server.on('connection', () => changes++);
  app.addHook('onResponse', (_request, _reply, done) => {
    changes++;
    done();
  });
  app.addHook('preClose', async () => {
    const latest = performance.now() + longestMs;
    for (let quiet = 0; quiet < quietTicks && performance.now() < latest; ) {
      const before = changes;
      // Until the listener is closed, no request is read: its client would be answered, and connect again.
      for (const socket of sockets) stopReading(socket);
      await nextLoopTick();
      quiet = changes === before ? quiet + 1 : 0;
    }
  });
}
