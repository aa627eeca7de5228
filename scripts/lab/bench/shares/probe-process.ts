/** Asks the URLs of the command line as an orchestrator does: each time on a new connection. */
import { type Answer, askOnNewConnection } from './connection.js';
import { type Latencies, latenciesOf } from './latencies.js';
import { atSteadyRate } from './steady-rate.js';

/** How often each URL is asked: 200 times in the usual five seconds. */
const perSecond = 40;
/** The latency that a 503 counts as. For an orchestrator, it is as bad as no answer, however quick it was. */
const failureMs = 10_000;

async function ask(url: string): Promise<Answer> {
  const { origin, pathname } = new URL(url);
  const answer = await askOnNewConnection(origin, pathname);
  return answer.status < 500 ? answer : { ...answer, ms: failureMs };
}

process.once('message', async (seconds: number) => {
  const answers = process.argv.slice(2).map((url) => atSteadyRate({ perSecond, seconds }, () => ask(url)));
  const latencies: Latencies[] = (await Promise.all(answers)).map(latenciesOf);
  process.send?.(latencies, () => process.disconnect());
});
process.send?.('ready');
