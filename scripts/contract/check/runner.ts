import type { Recorder } from './findings.js';

/** How the cases of a run are tried, and where it is recorded what they find. */
export interface Runner {
  readonly recorder: Recorder;
  readonly seed: number;
  /** How many generated cases an operation gets. */
  readonly cases: number;
  readonly connections: number;
  readonly signal: AbortSignal;
}

/**
 * Tries all of them, as many at once as there are connections. Whatever happens, nothing is under way when it
 * ends.
 */
export async function forEach<Item>(
  { connections, signal }: Runner,
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
 * Promise.all, but it waits for the others where one fails: what follows tidies up, and must not be
 * overtaken.
 */
export async function together<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
