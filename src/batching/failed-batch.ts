import {
  DatabaseUnavailableError,
  OutcomeUnknownError,
  RefusedStatementError,
  RolledBackError,
  WaitedTooLongError,
} from '../errors/database.js';

/** Instead of an item's result: nothing was done for it, because it would have held up the others. It runs alone. */
export const heldUp = Symbol('held up');

/** Items that run at the same time: each may wait for a lock, with a connection of its own. */
const maxAtOnce = 2;

/** The others of its batch can succeed without it. */
export function mayBeOneItem(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return error instanceof RolledBackError;
  return !(error instanceof RefusedStatementError);
}

interface FailedItem {
  /** Milliseconds of performance.now(). */
  readonly since: number;
  reject(error: unknown): void;
}

interface FailedBatch<Item> {
  readonly left: Item[];
  readonly done: () => void;
}

/** The items of failed batches, which run again one by one. */
export class FailedItems<Item extends FailedItem> {
  readonly #run: (item: Item) => Promise<unknown>;
  readonly #onFree: () => void;
  readonly #timeoutMs: number;
  /** None is empty. */
  readonly #batches = new Set<FailedBatch<Item>>();
  #running = 0;

  /**
   * @param run answers the item, and returns why it failed
   * @param onFree another connection is free
   * @param timeoutMs an item that was submitted longer ago is refused
   */
  constructor(run: (item: Item) => Promise<unknown>, onFree: () => void, timeoutMs: number) {
    this.#run = run;
    this.#onFree = onFree;
    this.#timeoutMs = timeoutMs;
  }

  get running(): number {
    return this.#running;
  }

  /** Ends once the last of them runs, or is refused. */
  add(items: readonly Item[]): Promise<void> {
    return new Promise((resolve) => {
      const batch: FailedBatch<Item> = { left: [...items], done: resolve };
      this.#batches.add(batch);
      for (const item of items) {
        const leftMs = item.since + this.#timeoutMs - performance.now();
        // Those that run before it may wait for a lock until then.
        setTimeout(() => this.#refuse(batch, item), leftMs).unref();
      }
      while (this.#running < maxAtOnce && this.#batches.size > 0) void this.#runRest();
    });
  }

  async #runRest(): Promise<void> {
    this.#running++;
    for (let [batch] = this.#batches; batch !== undefined; [batch] = this.#batches) {
      // No batch is empty.
      const item = batch.left.shift() as Item;
      if (batch.left.length === 0) this.#end(batch);
      if (performance.now() - item.since >= this.#timeoutMs) {
        item.reject(new WaitedTooLongError(this.#timeoutMs));
        continue;
      }
      const error = await this.#run(item);
      if (!(error instanceof DatabaseUnavailableError)) continue;
      // Its batch may be as slow, and without a database, all are.
      for (const failed of error instanceof RolledBackError ? [batch] : this.#batches) {
        for (const { reject } of failed.left.splice(0)) reject(withoutRun(error));
        this.#end(failed);
      }
    }
    this.#running--;
    this.#onFree();
  }

  /** Only if it still waits. */
  #refuse(batch: FailedBatch<Item>, item: Item): void {
    const at = batch.left.indexOf(item);
    if (at === -1) return;
    batch.left.splice(at, 1);
    if (batch.left.length === 0) this.#end(batch);
    item.reject(new WaitedTooLongError(this.#timeoutMs));
  }

  #end(batch: FailedBatch<Item>): void {
    this.#batches.delete(batch);
    batch.done();
  }
}

/** For an item that was not run, because another one failed. */
function withoutRun(error: DatabaseUnavailableError): DatabaseUnavailableError {
  return error instanceof OutcomeUnknownError ? new DatabaseUnavailableError(error.cause) : error;
}
