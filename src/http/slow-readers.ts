/**
 * Clients that do not read their answers. What a client has not read waits in memory, and its request may have a place
 * among the long lists, which others then lack. So a connection with unread bytes must take 240 KiB of them in each
 * 60 s (4 KiB a second); otherwise it is reset. 60 s is nginx's `send_timeout`. A higher speed would hit slow
 * clients that do read: Linux tells the service of progress only when a third of the send buffer is free, which can be
 * a megabyte.
 *
 * Once a second, a timer looks at each connection. `writableLength` is what the kernel has not taken yet. An answer that
 * waits for the database has no such bytes, so its client may wait for as long as it likes.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../log/log.js';
import { events } from '../observability/events.js';
import type { Connections } from './connections.js';

export interface ReaderLimits {
  readonly patienceMs: number;
  /** The least that the kernel must take in that time. */
  readonly minBytes: number;
}

export const readerLimits: ReaderLimits = { patienceMs: 60_000, minBytes: 240 * 2 ** 10 };

const intervalMs = 1_000;

interface Progress {
  readonly since: number;
  /** Bytes that the kernel had taken then. */
  readonly taken: number;
}

export function cutSlowReaders(
  app: FastifyInstance,
  connections: Connections,
  log: Log,
  { patienceMs, minBytes }: ReaderLimits,
): void {
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
        // An ordinary close would leave megabytes to the kernel.
        socket.resetAndDestroy();
      }
    }
    before = readers;
  };
  const timer = setInterval(look, intervalMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}
