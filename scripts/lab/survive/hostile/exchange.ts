/** Sends bytes that no client of HTTP would send, and says what became of the connection. */
import { connect, type Socket } from 'node:net';
import type { Attacker } from './target.js';
import { inSeconds } from './words.js';

export interface Ending {
  readonly statuses: readonly number[];
  readonly end: 'closed' | 'reset' | 'still open';
  /** The time from the sending to the end, or how long was waited for the end. */
  readonly durationMs: number;
}

/** Sends the bytes, and reads until the connection ends, or `patienceMs` have passed. */
export function exchange(port: number, bytes: string, patienceMs: number): Promise<Ending> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const begin = performance.now();
    let answers = '';
    const finish = (end: Ending['end']) => {
      clearTimeout(timer);
      socket.destroy();
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      resolve({ statuses, end, durationMs: performance.now() - begin });
    };
    const timer = setTimeout(() => finish('still open'), patienceMs);
    socket.setEncoding('latin1').on('data', (text: string) => {
      answers += text;
    });
    socket.on('error', () => finish('reset'));
    socket.on('end', () => finish('closed'));
    socket.write(bytes);
  });
}

/** Writes an ending in words, such as "400, closed after 0.01 s". */
export function toWords({ statuses, end, durationMs }: Ending): string {
  return `${statuses.join(', ') || 'unanswered'}, ${end} after ${inSeconds(durationMs)}`;
}

/** The first lines of a request of this owner, without the empty line that ends them. */
export function headOf(line: string, { token }: Attacker, ...headers: readonly string[]): string {
  return [line, 'Host: x', `Authorization: Bearer ${token}`, ...headers, ''].join('\r\n');
}

export const listPlants = (owner: Attacker): string => `${headOf('GET /plants HTTP/1.1', owner)}\r\n`;

/** Opens a connection that nobody reads. Linux takes what fits into its buffers. */
export function openUnread(port: number): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  return socket;
}
