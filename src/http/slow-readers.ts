/**
 * Cuts off clients that do not read their answers. docs/connections.md, "Slow readers", tells it for
 * operators.
 *
 * What a client has not read waits in the service's memory, and its request may hold one of the slots for
 * long lists. If nobody cut such clients off, they would fill the memory, and other clients could not read
 * long lists.
 *
 * So a connection with unread bytes must take 240 KiB of them in each 60 s, which is 4 KiB a second:
 *
 * 1. Once a second, a timer looks at each connection. `writableLength` is what the kernel has not taken yet.
 *    If that is nothing, the connection is left alone. An answer that waits for the database has no such
 *    bytes, so its client may wait as long as it likes.
 * 2. Otherwise `readers` holds when the client's present window began, and how many bytes the kernel had
 *    taken by then.
 * 3. Once the kernel has taken `minBytes` more, a new window begins. If `patienceMs` has passed first, the
 *    connection is reset. The log says "cut a reader off" with the number of unread bytes.
 *
 * For example, a client that takes 100 KiB a second gets a new window every third second, and reads its list
 * to the end. A client that takes 2 KiB a second has taken 120 KiB after 60 s, and is reset.
 *
 * The patience is that of nginx's `send_timeout`. A higher speed would hit slow clients that do read: Linux
 * tells the service of progress only when a third of the send buffer is free, and that can be a megabyte.
 *
 * The cost: the timer looks at every open connection once a second. A client in a tunnel for a minute loses
 * its list.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { Log } from '../log/log.js';
import { events } from '../observability/events.js';
import type { Connections } from './connections.js';

/** How fast a client must read. */
export interface ReaderLimits {
  /** How long a client may take for `minBytes`. */
  readonly patienceMs: number;
  /** How many bytes the kernel must take in `patienceMs`. */
  readonly minBytes: number;
}

export const readerLimits: ReaderLimits = { patienceMs: 60_000, minBytes: 240 * 2 ** 10 };

const intervalMs = 1_000;

/**
 * When a client's present window began, in milliseconds of performance.now(), and the bytes that the kernel
 * had taken by then.
 */
interface Progress {
  readonly since: number;
  readonly taken: number;
}

interface SlowReadersOptions {
  readonly connections: Connections;
  readonly log: Log;
  readonly limits: ReaderLimits;
}

/** Looks at all connections once a second, until the app closes. */
export const slowReaders = plugin(cutSlowReaders, { name: 'slow-readers' });

async function cutSlowReaders(
  app: FastifyInstance,
  { connections, log, limits: { patienceMs, minBytes } }: SlowReadersOptions,
): Promise<void> {
  let before = new Map<Socket, Progress>();
  const look = () => {
    const now = performance.now();
    const readers = new Map<Socket, Progress>();
    for (const socket of connections.sockets) {
      if (socket.writableLength === 0) continue;
      const taken = socket.bytesWritten - socket.writableLength;
      const progress = before.get(socket);
      if (progress === undefined || taken - progress.taken >= minBytes) {
        readers.set(socket, { since: now, taken });
      } else if (now - progress.since < patienceMs) {
        readers.set(socket, progress);
      } else {
        events.emit('connectionCut', 'slow');
        log.info({ ip: socket.remoteAddress, unread: socket.writableLength }, 'cut a reader off');
        // After an ordinary close, the kernel would keep the unread megabytes, and go on sending them.
        socket.resetAndDestroy();
      }
    }
    before = readers;
  };
  const timer = setInterval(look, intervalMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}
