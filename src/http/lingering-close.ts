import { Socket } from 'node:net';

/** nginx's `lingering_timeout` and `lingering_time`. */
const limits = { silenceMs: 5_000, totalMs: 30_000, bytes: 64 * 2 ** 20 };

/**
 * Closing with unread bytes can destroy the answer (RFC 9112, section 9.6). So this ends our side, and drops
 * bytes until the client ends its own.
 */
export function closeLingering(socket: Socket): void {
  // A second close changes nothing.
  socket.destroySoon = () => {};
  const close = () => socket.destroy();
  const cut = setTimeout(close, limits.totalMs);
  socket.once('close', () => clearTimeout(cut));
  socket.setTimeout(limits.silenceMs, close);
  socket.end();
  if (!socket.isPaused()) dropAll(socket);
  else {
    // A listener for data would remove the one with which Node.js reads on.
    socket.once('resume', () => dropAll(socket));
    socket.resume();
  }
}

function dropAll(socket: Socket): void {
  let bytes = 0;
  // The parser would go on taking requests.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.bytes) socket.destroy();
  });
}

/** Node.js calls `destroySoon` after the last answer. */
export function lingerIf(socket: Socket, mayStillSend: (socket: Socket) => boolean): void {
  socket.destroySoon = () => {
    if (mayStillSend(socket)) closeLingering(socket);
    else Socket.prototype.destroySoon.call(socket);
  };
}
