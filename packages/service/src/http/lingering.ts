/**
 * Lets a connection linger: reads what a client still sends after its answer (a lingering close, if the connection
 * then ends). docs/connections.md, "Refused bodies", tells why.
 *
 * A service can answer before it has read the whole request, for example with a 413. If it then closed the
 * connection, the kernel would reset it, because bytes are left that nobody has read. The reset can overtake
 * the answer, and the client sees "connection reset" instead of the 413 (RFC 9112, section 9.6). So Node.js
 * reads on, and drops what it reads.
 *
 * A client could send without end, so there are two limits, and a client beyond one of them is cut off. 32
 * MiB is 512 times the largest body of the contract, so that a person who sends a large file by mistake reads
 * why it was refused. 10 s is the time that a header has.
 */
import type { Socket } from 'node:net';

/** How long a client may go on sending, and how much. */
export const lingeringLimits = { maxMs: 10_000, maxBytes: 32 * 2 ** 20 };

/**
 * How often the limits are compared with what has arrived, so a client can exceed them by some megabytes. A
 * listener for "data" would count exactly, but it disturbs Node.js's parser.
 */
const intervalMs = 20;

/**
 * Destroys the connection once more than `lingeringLimits` has arrived from now on.
 *
 * @returns a function that stops the watch when the message has come to its end
 */
export function watchLingering(socket: Socket): () => void {
  const lastByte = socket.bytesRead + lingeringLimits.maxBytes;
  const lastMoment = performance.now() + lingeringLimits.maxMs;
  const timer = setInterval(() => {
    if (socket.bytesRead > lastByte || performance.now() > lastMoment) socket.destroy();
  }, intervalMs);
  const stop = () => {
    clearInterval(timer);
    socket.off('close', stop);
  };
  socket.once('close', stop);
  return stop;
}
