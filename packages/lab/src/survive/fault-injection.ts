/**
 * Injects one fault under load, and says what clients noticed of it.
 *
 * A fault has three times. It begins, and requests fail: they are refused, get no answer, or wait. It is
 * lifted, when the process is killed and gone, or the network is fair again. And some time later everybody is
 * served again, because a process has to start, or a connection to be made. What counts is the longest time
 * without any good answer, and the time from the lifting to the first good answer to a request that was sent
 * after it (outages.ts).
 *
 * For example, "node is killed" is lifted as soon as the process is gone. The supervisor starts another one,
 * which serves after 0.6 s. So "nobody served" is a bit more than 0.6 s, and "served after its end" a bit
 * less.
 *
 * The next fault must not begin before this one is over for all, or its figures would have those of both. So
 * the injection ends when each client was served twice without a failure in between. If that takes more than
 * `maxOutageMs`, the service has not come back by itself, and the run ends.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { InjectedFault } from './faults/injected-fault.js';
import type { Counts } from './load.js';
import type { Outage, Outages } from './outages.js';

export interface FaultResult extends Outage {
  /** The name of the fault. */
  readonly fault: string;
  /** The numbers of requests that were refused meanwhile, and whose outcome is unknown (outcome.ts). */
  readonly refused: number;
  readonly unknown: number;
  /** Whether clients noticed a fault that they must not notice. */
  readonly isNoticed: boolean;
}

/** A client that is not served again within this time counts as never served again. */
const maxOutageMs = 30_000;
const watchMs = 10;
/** A busy machine causes a pause of this length by itself. */
const usualPauseMs = 1_000;

/**
 * @param carryOut injects the fault, and resolves when it is over
 * @param counts those of the load, which go on meanwhile
 */
export async function injectFault(
  { name, isUnnoticed }: Pick<InjectedFault<unknown>, 'name' | 'isUnnoticed'>,
  carryOut: () => Promise<void>,
  outages: Outages,
  counts: Counts,
): Promise<FaultResult> {
  const { refused, unknown } = counts;
  outages.watch();
  await carryOut();
  outages.lifted();
  await calm(outages);
  const { outage } = outages;
  const failed = { refused: counts.refused - refused, unknown: counts.unknown - unknown };
  const wasSeen = failed.refused + failed.unknown > 0 || outage.longest > usualPauseMs;
  return { fault: name, ...outage, ...failed, isNoticed: isUnnoticed === true && wasSeen };
}

/** Resolves when every client is served again, or has waited for the maximum. */
export async function calm(outages: Outages): Promise<void> {
  const deadline = performance.now() + maxOutageMs;
  while (!outages.isCalm && performance.now() < deadline) await pause(watchMs);
}
