/** One fault under load, and what clients noticed of it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './faults.js';
import type { Counts } from './load.js';
import type { Outage, Outages } from './outages.js';

export interface Strike extends Outage {
  readonly fault: string;
  readonly refused: number;
  readonly unknown: number;
  /** Clients noticed a fault that they must not notice. */
  readonly isNoticed: boolean;
}

/** Milliseconds. A client that is not served by then counts as never served again. */
const patience = 30_000;
const watchMs = 10;
/** Milliseconds without an answer that a busy machine causes by itself. */
const usualPause = 1_000;

/** @param carryOut resolves when the fault is over */
export async function strike(
  { name, isUnnoticed }: Pick<Fault, 'name' | 'isUnnoticed'>,
  carryOut: () => Promise<void>,
  outages: Outages,
  counts: Counts,
): Promise<Strike> {
  const { refused, unknown } = counts;
  outages.watch();
  await carryOut();
  outages.lifted();
  await calm(outages);
  const { outage } = outages;
  const failed = { refused: counts.refused - refused, unknown: counts.unknown - unknown };
  const wasSeen = failed.refused + failed.unknown > 0 || outage.longest > usualPause;
  return { fault: name, ...outage, ...failed, isNoticed: isUnnoticed === true && wasSeen };
}

/** Resolves when every client is served again, or at the end of the patience. */
export async function calm(outages: Outages): Promise<void> {
  const deadline = performance.now() + patience;
  while (!outages.isCalm && performance.now() < deadline) await pause(watchMs);
}
