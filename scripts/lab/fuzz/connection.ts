import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Case } from './requests.js';

export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

export interface Received {
  readonly bytes: Buffer;
  /** Whether the server did not close the connection in time. */
  readonly hung: boolean;
}

/**
 * Sends a case on a connection of its own, and reads until the server closes it.
 *
 * @throws {UnreachableError} if nobody accepts the connection
 */
export function exchange(
  { hostname, port }: URL,
  { pieces, end }: Case,
  patienceMs: number,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const received: Buffer[] = [];
    let hung = false;
    const cut = setTimeout(() => {
      hung = true;
      socket.destroy();
    }, patienceMs);
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.syscall === 'connect') reject(new UnreachableError(error.message));
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(cut);
      resolve({ bytes: Buffer.concat(received), hung });
    });
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (!socket.writable) return;
        socket.write(piece);
        await nextTurn();
      }
      if (end === 'reset') socket.resetAndDestroy();
      else socket.end();
    });
  });
}
