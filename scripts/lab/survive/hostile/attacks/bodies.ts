/** Attacks with bodies that are too large. */
import { connect } from 'node:net';
import type { Attack } from '../attack.js';
import { headOf } from '../exchange.js';
import { reasonOf, tally } from '../words.js';

const clients = 30;
const body = Buffer.alloc(20 * 2 ** 20);
const patienceMs = 30_000;

export const bodyAttacks: readonly Attack[] = [
  {
    name: `a body of 20 MB by ${clients} clients, who send all of it before they read`,
    promise: 'every client reads its 413',
    async carryOut({ port, attacker }) {
      const head = headOf(
        'POST /plants HTTP/1.1',
        attacker,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      );
      const results = await Promise.all(
        Array.from({ length: clients }, () => sendThenRead(port, `${head}\r\n`)),
      );
      return { saw: tally(results), isAsPromised: results.every((result) => result === '413') };
    },
  },
];

/**
 * Sends everything before it reads, as clients with a blocking socket do.
 *
 * @returns the status, or why there is none
 */
function sendThenRead(port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    // While it is paused, the client only notices if it cannot write.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
    const finish = (result: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => finish('no answer'), patienceMs);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1];
      if (status !== undefined) finish(status);
    });
    socket.on('error', (error) => finish(reasonOf(error)));
    socket.on('end', () => finish('closed unanswered'));
    socket.write(head);
    socket.write(body, (error) => {
      if (!error) socket.resume();
    });
  });
}
