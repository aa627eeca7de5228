import { DatabaseUnavailableError, OverloadError, RolledBackError } from '../database-errors.js';
import { events } from '../events.js';

interface Work<Item, Result> {
  readonly name: string;
  /** Runs all items or none. Results keep their order. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  readonly maxBatchSize?: number;
  /** The next batch waits this long at most. */
  readonly turnMs?: number;
  /** Bytes, roughly. */
  sizeOf(item: Item): number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  /** Milliseconds of performance.now(). */
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The second starts when the first has used up its turn. */
const maxInFlight = 2;
/** Items of a rolled back batch that run at once. */
const maxAlone = 2;
const defaultTurnMs = 10;
/** If more wait, half is sent: PostgreSQL runs it while Node.js reads requests. */
const maxUndivided = 16;
const defaultMaxBatchSize = 1_000;
const maxWaiting = { items: 10_000, bytes: 16 * 2 ** 20 };

/** Items that arrive together, or while a batch runs, form a batch. Answers come after the commit. */
export class Coalescer<Item, Result> {
  readonly #work: Work<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  readonly #inFlight = new Set<readonly Waiting<Item, Result>[]>();
  /** The next batch waits for this one. */
  #turn: readonly Waiting<Item, Result>[] | undefined;
  /** The last batch's size: its clients will send again, so they count as waiting. */
  #sizeBefore = 0;

  constructor(work: Work<Item, Result>) {
    this.#work = work;
  }

  /**
   * @throws {OverloadError} if too many items wait
   * @throws {OutcomeUnknownError} if the item may have run
   * @throws what `run` throws for this item alone
   */
  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= maxWaiting.items || this.#waitingBytes >= maxWaiting.bytes) {
      return Promise.reject(new OverloadError('batch', 'too many requests are waiting for it already'));
    }
    return new Promise((resolve, reject) => {
      const waiting = { item, since: performance.now(), resolve, reject };
      this.#waiting.push(waiting);
      events.emit('itemWaits', waiting);
      this.#waitingBytes += this.#work.sizeOf(item);
      // Runs after this event loop tick has read its requests.
      if (this.#waiting.length === 1) setImmediate(() => this.#next());
    });
  }

  #next(): void {
    if (this.#turn !== undefined || this.#inFlight.size === maxInFlight) return;
    if (this.#waiting.length === 0) {
      if (this.#inFlight.size === 0) this.#sizeBefore = 0;
      return;
    }
    const all = this.#waiting.length + this.#sizeBefore;
    const share = all > maxUndivided ? Math.ceil(all / 2) : all;
    const batch = this.#waiting.splice(0, Math.min(share, this.#work.maxBatchSize ?? defaultMaxBatchSize));
    for (const { item } of batch) this.#waitingBytes -= this.#work.sizeOf(item);
    // A batch is never empty. Its first item waited longest.
    const { since } = batch[0] as Waiting<Item, Result>;
    events.emit('batchBegan', this.#work.name, batch, performance.now() - since);
    this.#sizeBefore = batch.length;
    this.#inFlight.add(batch);
    this.#turn = batch;
    const turnOver = setTimeout(() => this.#endTurn(batch), this.#work.turnMs ?? defaultTurnMs);
    // `finally`, so that these answers go out first.
    void this.#run(batch).finally(() => {
      clearTimeout(turnOver);
      this.#inFlight.delete(batch);
      events.emit('batchEnded', batch);
      this.#endTurn(batch);
    });
  }

  #endTurn(batch: readonly Waiting<Item, Result>[]): void {
    if (this.#turn === batch) this.#turn = undefined;
    this.#next();
  }

  /** @returns whether the database rolled a lone item back */
  async #run(batch: readonly Waiting<Item, Result>[]): Promise<boolean> {
    try {
      await this.#answer(batch);
    } catch (error) {
      if (error instanceof RolledBackError && batch.length > 1) {
        // Not awaited, so that other batches can run.
        void this.#runEachAlone(batch, error);
      } else if (error instanceof DatabaseUnavailableError || batch.length === 1) {
        for (const { reject } of batch) reject(error);
        return error instanceof RolledBackError;
      } else {
        // One item failed the statement: the others can succeed.
        for (const waiting of batch) await this.#run([waiting]);
      }
    }
    return false;
  }

  /** One item may have waited for a lock. A second rollback fails the items that are left. */
  async #runEachAlone(batch: readonly Waiting<Item, Result>[], cause: RolledBackError): Promise<void> {
    const left = [...batch];
    const runRest = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        if (await this.#run([next])) for (const { reject } of left.splice(0)) reject(cause);
      }
    };
    await Promise.all(Array.from({ length: maxAlone }, runRest));
  }

  async #answer(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const results = await this.#work.run(batch.map(({ item }) => item));
    for (const [index, { resolve }] of batch.entries()) {
      // `run` gives a result for each item.
      resolve(results[index] as Result);
    }
  }
}
