/**
 * A program that asks the URL of its command line as an orchestrator does: at a steady rate, each time on a
 * new connection. The process that sends the load is busy, and would count its own delays. It begins when its
 * parent sends it a number of seconds, and answers with the latencies in milliseconds.
 */

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { atSteadyRate } from './creates.js';

const perSecond = 40;
/** The latency that a 503 counts as. For an orchestrator, it is as bad as no answer, however quick it was. */
const failureMs = 10_000;
const [, , url = ''] = process.argv;

async function ask(): Promise<number> {
  const begin = performance.now();
  const answers: IncomingMessage[] = await once(request(url, { agent: false }).end(), 'response');
  for (const answer of answers) {
    await text(answer);
    if ((answer.statusCode ?? 500) >= 500) return failureMs;
  }
  return performance.now() - begin;
}

process.once('message', async (seconds: number) => {
  const latencies = await atSteadyRate({ perSecond, seconds }, ask);
  process.send?.(latencies, () => process.disconnect());
});
process.send?.('ready');
