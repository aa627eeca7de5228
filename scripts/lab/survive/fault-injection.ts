/** Injects one fault under load, and says what clients noticed of it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { InjectedFault } from './faults.js';
import type { Counts } from './load.js';
import type { Outage, Outages } from './outages.js';

export interface FaultResult extends Outage {
  /** The name of the fault. */
  readonly fault: string;
  readonly refused: number;
  readonly unknown: number;
  /** Whether clients noticed a fault that they must not notice. */
  readonly isNoticed: boolean;
}

/** A client that is not served again by then counts as never served again. */
const maxOutageMs = 30_000;
const watchMs = 10;
/** A busy machine causes a pause of this length by itself. */
const usualPauseMs = 1_000;

/** @param carryOut injects the fault, and resolves when it is over */
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
