/** The questions of an orchestrator, each on a new connection. */
import type { Server } from '../server.js';
import { type Answer, askOnNewConnection } from './connection.js';
import { type Latencies, latenciesOf } from './latencies.js';
import { atSteadyRate } from './steady-rate.js';

/** Of each question: 200 in the usual five seconds. */
const perSecond = 40;
/** A 503 is what an orchestrator takes for no answer, however quick it was: it counts as so many milliseconds. */
const failureMs = 10_000;

export interface Probes {
  readonly live: Latencies;
  /** Of the admin port; NaN for a contestant that has none. */
  readonly ready: Latencies;
}

/** By hand, there is no `/live`: it is answered by 401, which is no more work. */
export async function probe({ address, adminAddress }: Server, seconds: number): Promise<Probes> {
  const rate = { perSecond, seconds };
  const [live, ready] = await Promise.all([
    atSteadyRate(rate, () => ask(address, '/live')),
    adminAddress === undefined ? [] : atSteadyRate(rate, () => ask(adminAddress, '/ready')),
  ]);
  return { live: latenciesOf(live), ready: latenciesOf(ready) };
}

async function ask(address: string, path: string): Promise<Answer> {
  const answer = await askOnNewConnection(address, path);
  return answer.status < 500 ? answer : { ...answer, ms: failureMs };
}
