/**
 * What a client still sends after its answer. A server that answers before it has read the whole request, for example
 * with a 413, and then closes the connection resets it: the kernel sends a reset if bytes are left that nobody has
 * read. The reset can overtake the answer, and the client sees "connection reset" instead of the 413 (RFC 9112, section
 * 9.6). So the service reads on, and drops what it reads.
 *
 * Somebody could send without end, so there are two limits. 32 MiB is 500 times the largest body of the contract: who
 * sends a large file by mistake still reads why it was refused. 10 s is the time that a header has. A client beyond them
 * is cut off.
 */
import type { Socket } from 'node:net';

export const restLimits = { ms: 10_000, bytes: 32 * 2 ** 20 };

/** Some megabytes arrive in that time. A listener for "data" would count exactly, but disturbs Node.js's parser. */
const intervalMs = 20;

/**
 * Watches what arrives from now on. Node.js reads and drops it.
 *
 * @returns a function that stops that, for a message that has ended
 */
export function watchRest(socket: Socket): () => void {
  const lastByte = socket.bytesRead + restLimits.bytes;
  const lastMoment = performance.now() + restLimits.ms;
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
