/** The questions of an orchestrator, each on a new connection, to the URLs of the command line. */
import { type Answer, askOnNewConnection } from './connection.js';
import { type Latencies, latenciesOf } from './latencies.js';
import { atSteadyRate } from './steady-rate.js';

/** Of each question: 200 in the usual five seconds. */
const perSecond = 40;
/**
 * A 503 is what an orchestrator takes for no answer, however quick it was: it counts as so many milliseconds.
 */
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
