/**
 * A program that asks the URL of its command line as an orchestrator does: at a steady rate, each time on a new
 * connection. The process that sends the load is busy, and would count its own delays. The second parameter is how
 * many seconds it asks. It sends its parent the latencies in milliseconds.
 */

import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { atSteadyRate } from './creates.js';

const perSecond = 40;
/** The latency that a 503 counts as. For an orchestrator, it is as bad as no answer, however quick it was. */
const failureMs = 10_000;
const [, , url = '', seconds] = process.argv;

async function ask(): Promise<number> {
  const begin = performance.now();
  const asked = request(url, { agent: false }).end();
  const [answer] = await once(asked, 'response');
  await text(answer);
  return answer.statusCode < 500 ? performance.now() - begin : failureMs;
}

const latencies = await atSteadyRate({ perSecond, seconds: Number(seconds) }, ask);
process.send?.(latencies, () => process.disconnect());
