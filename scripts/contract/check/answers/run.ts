/**
 * One run of the checker: what every probe works with, and how cases are tried beside each other. Whatever
 * sends a request may reject with a HaltedError or an UnreachableError. `check.ts` expects both, so no probe
 * catches them.
 */
import type { Credential } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import type { Description } from '../document/description.js';
import type { Exchange } from '../requests/exchange.js';
import type { Meaning } from '../resources/meaning.js';
import type { Recorder } from './findings.js';

export interface Run {
  readonly description: Description;
  readonly exchange: Exchange;
  readonly recorder: Recorder;
  readonly meaning: Meaning;
  readonly token: Credential | undefined;
  /** A token of another owner. */
  readonly otherToken: Credential | undefined;
  /** A token that was revoked. */
  readonly revokedToken: Credential | undefined;
  readonly seed: number;
  /** The number of generated cases of each operation. */
  readonly cases: number;
  readonly connections: number;
  /** Ends the run once it is aborted. */
  readonly signal: AbortSignal;
}

export function isSafe({ method }: Operation): boolean {
  // RFC 9110, section 9.2.1.
  return ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method);
}

/**
 * Tries all items, as many at once as there are connections, and stops early if the run is halted.
 *
 * @throws whatever `work` has thrown, once nothing is in flight any more
 */
export async function forEach<Item>(
  { connections, signal }: Run,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !signal.aborted; next = queue.next()) await work(next.value);
  };
  await together(Array.from({ length: connections }, worker));
}

/**
 * Does what Promise.all does, but waits for the others if one fails: the clean-up comes next, and no request
 * may overtake it.
 *
 * @throws what the first of the promises that fail rejects with
 */
export async function together<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
