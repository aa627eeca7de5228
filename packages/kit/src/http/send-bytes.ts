/**
 * Sends bytes that perhaps no client of HTTP would send, on a connection of their own, and reads until the
 * server closes it.
 */
import { connect } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { UnreachableError } from '../../../contract-tools/base.js';

interface Sending {
  /** What the client does once it has sent everything. */
  readonly finish: 'wait' | 'half-close' | 'reset';
  /** How long the client waits for the server to close the connection. */
  readonly patienceMs: number;
}

/** The end of a connection. */
export interface Ending {
  readonly received: Buffer;
  readonly end: 'closed' | 'reset' | 'still open';
  /** The time from the first byte to the end, or how long was waited for the end. */
  readonly durationMs: number;
}

/**
 * @param pieces are sent in different ticks of the event loop, so that the server may read them one by one
 * @throws {UnreachableError} if nobody accepts the connection
 */
export function sendBytes(
  { hostname, port }: URL,
  pieces: readonly (Buffer | string)[],
  { finish, patienceMs }: Sending,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const begin = performance.now();
    const received: Buffer[] = [];
    let end: Ending['end'] | undefined;
    const patience = setTimeout(() => {
      end = 'still open';
      socket.destroy();
    }, patienceMs);
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', ({ syscall, message }: NodeJS.ErrnoException) => {
      if (syscall === 'connect') reject(new UnreachableError(message));
      // A server that closes a connection with unread bytes also resets it.
      end ??= 'reset';
    });
    socket.on('end', () => {
      end ??= 'closed';
      socket.end();
    });
    socket.on('close', () => {
      clearTimeout(patience);
      const durationMs = performance.now() - begin;
      resolve({ received: Buffer.concat(received), end: end ?? 'closed', durationMs });
    });
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (!socket.writable) return;
        socket.write(piece);
        await nextTick();
      }
      if (finish === 'reset') socket.resetAndDestroy();
      else if (finish === 'half-close') socket.end();
    });
  });
}
