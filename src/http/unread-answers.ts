import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { events } from '../events.js';
import type { Log } from '../log.js';
import { queuedAnswers } from './queued-answers.js';

/** Bytes without those that the kernel buffers. docs/limits.md says why these numbers. */
export interface ReaderLimits {
  /** Milliseconds in which a client must take at least `leastBytes` of its answers. */
  readonly patience: number;
  readonly leastBytes: number;
  /** All connections together may leave so much unread. */
  readonly unreadBytes: number;
}

export const readerLimits: ReaderLimits = {
  patience: 60_000,
  leastBytes: 240 * 2 ** 10,
  unreadBytes: 64 * 2 ** 20,
};

/** In a whole second, answers could fill the memory. */
const intervalMs = 100;

interface Reader {
  readonly socket: Socket;
  readonly since: number;
  /** Bytes that the kernel took until then. */
  readonly taken: number;
}

/** Closes connections of clients that read too slowly; and, if too much is unread, those that read least. */
export function limitReaders(
  app: FastifyInstance,
  open: ReadonlySet<Socket>,
  log: Log,
  { patience, leastBytes, unreadBytes }: ReaderLimits,
): void {
  let readers = new Map<Socket, Reader>();
  const cut = (socket: Socket, reason: 'slow' | 'unread') => {
    events.emit('connectionCut', reason);
    log.info({ ip: socket.remoteAddress, reason, unread: unreadOn(socket) }, 'cut a reader off');
    // An ordinary close would leave megabytes to the kernel.
    socket.resetAndDestroy();
  };
  const timer = setInterval(() => {
    const now = performance.now();
    const before = readers;
    readers = new Map();
    let unread = 0;
    for (const socket of open) {
      unread += unreadOn(socket);
      // An answer that waits for the database has nothing to read.
      if (socket.writableLength === 0) continue;
      const reader = before.get(socket);
      if (reader === undefined || takenBy(socket) - reader.taken >= leastBytes)
        readers.set(socket, { socket, since: now, taken: takenBy(socket) });
      else if (now - reader.since < patience) readers.set(socket, reader);
      else cut(socket, 'slow');
    }
    if (unread <= unreadBytes) return;
    for (const { socket } of [...readers.values()].sort((one, other) => one.since - other.since)) {
      if (unread <= unreadBytes) break;
      unread -= unreadOn(socket);
      cut(socket, 'unread');
    }
  }, intervalMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

function unreadOn(socket: Socket): number {
  let bytes = socket.writableLength;
  for (const answer of queuedAnswers(socket)) if (answer.socket === null) bytes += answer.writableLength;
  return bytes;
}

function takenBy({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}
