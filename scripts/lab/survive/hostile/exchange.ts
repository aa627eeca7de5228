/** Bytes that no HTTP client would send, and what becomes of their connection. */
import { connect, type Socket } from 'node:net';
import type { Attacker } from './target.js';
import { inSeconds } from './words.js';

export interface Ending {
  readonly statuses: readonly number[];
  readonly end: 'closed' | 'reset' | 'still open';
  /** From the sending to the end, or as long as was waited. */
  readonly milliseconds: number;
}

/** Reads until the connection ends, or for so many milliseconds. */
export function exchange(port: number, bytes: string, patienceMs: number): Promise<Ending> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const begin = performance.now();
    let answers = '';
    const finish = (end: Ending['end']) => {
      clearTimeout(timer);
      socket.destroy();
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      resolve({ statuses, end, milliseconds: performance.now() - begin });
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

/** "400, closed after 0.01 s" */
export function toWords({ statuses, end, milliseconds }: Ending): string {
  return `${statuses.join(', ') || 'unanswered'}, ${end} after ${inSeconds(milliseconds)}`;
}

/** The first lines of a request of this owner, without the empty line that ends them. */
export function headOf(line: string, { token }: Attacker, ...headers: readonly string[]): string {
  return [line, 'Host: x', `Authorization: Bearer ${token}`, ...headers, ''].join('\r\n');
}

export const listPlants = (owner: Attacker): string => `${headOf('GET /plants HTTP/1.1', owner)}\r\n`;

/** Linux takes what fits into its buffers, and nobody reads it. */
export function openUnread(port: number): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  return socket;
}
