import {
  DatabaseUnavailableError,
  OutcomeUnknownError,
  RefusedStatementError,
  RolledBackError,
  WaitedTooLongError,
} from '../database-errors.js';

/** Items that run at the same time: each may wait for a lock, with a connection of its own. */
const maxAtOnce = 2;
/** An item that waits longer is refused. */
const maxWaitMs = 8_000;

/** The others of its batch can succeed without it. */
export function mayBeOneItem(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return error instanceof RolledBackError;
  return !(error instanceof RefusedStatementError);
}

interface FailedItem {
  reject(error: unknown): void;
}

/** The items of failed batches, which run again one by one. */
export class FailedItems<Item extends FailedItem> {
  readonly #run: (item: Item) => Promise<unknown>;
  /** `until` in milliseconds of performance.now(). */
  readonly #left: { readonly item: Item; readonly until: number }[] = [];
  #running = 0;

  /** @param run answers the item, and returns why it failed */
  constructor(run: (item: Item) => Promise<unknown>) {
    this.#run = run;
  }

  get running(): number {
    return this.#running;
  }

  add(items: readonly Item[]): void {
    const until = performance.now() + maxWaitMs;
    this.#left.push(...items.map((item) => ({ item, until })));
    while (this.#running < Math.min(maxAtOnce, this.#left.length)) void this.#runRest();
  }

  async #runRest(): Promise<void> {
    this.#running++;
    for (let next = this.#left.shift(); next !== undefined; next = this.#left.shift()) {
      const { item, until } = next;
      if (performance.now() >= until) {
        item.reject(new WaitedTooLongError(maxWaitMs));
        continue;
      }
      const error = await this.#run(item);
      // For those that are left, the database is not available, either.
      if (error instanceof DatabaseUnavailableError)
        for (const { item } of this.#left.splice(0)) item.reject(withoutRun(error));
    }
    this.#running--;
  }
}

/** For an item that was not run, because another one failed. */
function withoutRun(error: DatabaseUnavailableError): DatabaseUnavailableError {
  return error instanceof OutcomeUnknownError ? new DatabaseUnavailableError(error.cause) : error;
}
