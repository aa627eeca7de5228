/** Sends requests beside each other. */

/** How many requests may be in flight, and what ends the run. */
interface Lanes {
  readonly connections: number;
  /** Ends the run once it is aborted. */
  readonly signal: AbortSignal;
}

/**
 * Tries all items, as many at once as there are connections, and stops early if the run is halted.
 *
 * @throws whatever `work` has thrown, once nothing is in flight any more
 */
export async function forEach<Item>(
  { connections, signal }: Lanes,
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
