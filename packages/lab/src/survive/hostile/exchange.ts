/**
 * What attacks share: the bytes of requests, connections that nobody reads, and the words for the end of a
 * connection.
 */
import { connect, type Socket } from 'node:net';
import type { Ending } from '../../../../kit/index.js';
import type { Attacker } from './target.js';
import { inSeconds } from './words.js';

/** Writes an ending in words, such as "400, closed after 0.01 s". */
export function toWords(ending: Ending): string {
  const { end, durationMs } = ending;
  return `${statusesOf(ending).join(', ') || 'unanswered'}, ${end} after ${inSeconds(durationMs)}`;
}

/** @returns the statuses of all answers that came, in order */
export function statusesOf({ received }: Ending): number[] {
  const answers = received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g);
  return Array.from(answers, ([, status]) => Number(status));
}

/** Writes the first lines of a request of this owner, without the empty line that ends them. */
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
