import { RolledBackError } from '../errors/database.js';
import { type Entry, FairQueue } from '../fairness/fair-queue.js';
import { events } from '../observability/events.js';
import { BatchSize } from './batch-size.js';
import { FailedItems, heldUp, mayBeOneItem } from './failed-batch.js';

/** @param deadline milliseconds of performance.now() at which it should have ended */
type Run<Item, Result> = (
  items: readonly Item[],
  deadline: number,
) => Promise<readonly (Result | typeof heldUp)[]>;

interface Work<Item, Result> {
  readonly name: string;
  /** Runs all items or none, except for those that get `heldUp`. Results keep their order. */
  readonly run: Run<Item, Result>;
  /** Instead of `run` for a single item that others do not wait for. */
  readonly runPatiently?: Run<Item, Result>;
  readonly maxBatchSize?: number;
  /** Milliseconds after which the next batch no longer waits for this one. */
  readonly turnMs?: number;
  /** An item that would wait longer, by what the last batches took, is refused at once. */
  readonly maxWaitMs?: number;
  /** From its submission on, an item has as long: in the queue, in its batch and alone. */
  readonly timeoutMs?: number;
  /** Bytes, roughly. */
  sizeOf(item: Item): number;
}

interface Waiting<Item, Result> extends Entry {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
}

/** So few items do not wait to share a batch: that would cost them more than sharing saves. */
const few = { items: 8, batches: 4 };
/** Batches of a kind at the same time, with items that run alone: others need connections, too. */
const maxConnections = 8;
/** Milliseconds. */
const defaults = { maxWaitMs: 200, timeoutMs: 8_000 };

/** Items that arrive together, or while a batch runs, form a batch. Answers come after the commit. */
export class Coalescer<Item, Result> {
  readonly #work: Work<Item, Result>;
  readonly #waiting: FairQueue<Waiting<Item, Result>>;
  readonly #size: BatchSize;
  readonly #timeoutMs: number;
  readonly #failed: FailedItems<Waiting<Item, Result>>;
  readonly #inFlight = new Set<readonly Waiting<Item, Result>[]>();
  #itemsInFlight = 0;
  /** The newest batch, until its turn is over. The next one waits for that, unless few items wait. */
  #turn: readonly Waiting<Item, Result>[] | undefined;

  constructor(work: Work<Item, Result>) {
    this.#work = work;
    const { maxBatchSize, maxWaitMs, timeoutMs } = { ...defaults, ...work };
    this.#size = new BatchSize(maxBatchSize);
    this.#timeoutMs = timeoutMs;
    this.#waiting = new FairQueue((items) => this.#size.waitBehind(items) > maxWaitMs, timeoutMs);
    this.#failed = new FailedItems(
      (item) => this.#run([item], this.#work.runPatiently),
      () => this.#next(),
      timeoutMs,
    );
  }

  /**
   * @throws {DatabaseUnavailableError} if too many items wait, or this one would wait or has waited too long
   * @throws {OutcomeUnknownError} if the item may have run
   * @throws what `run` throws for this item alone
   */
  submit(item: Item, owner = ''): Promise<Result> {
    return new Promise((resolve, reject) => {
      const size = this.#work.sizeOf(item);
      const waiting = { item, owner, size, since: performance.now(), resolve, reject };
      this.#waiting.add(waiting);
      events.emit('itemWaits', waiting);
      // Runs after this event loop tick has read its requests.
      if (this.#waiting.length === 1) setImmediate(() => this.#next());
    });
  }

  #next(): void {
    const isFew = this.#itemsInFlight + this.#waiting.length <= few.items;
    const isFree = isFew
      ? this.#inFlight.size < few.batches
      : this.#turn === undefined &&
        this.#inFlight.size < Math.min(this.#size.inFlight, maxConnections - this.#failed.running);
    if (!isFree) return;
    if (this.#waiting.length === 0) {
      if (this.#inFlight.size === 0) this.#size.idle();
      return;
    }
    const batch = this.#waiting.take(isFew ? few.items : this.#size.next(this.#waiting.length));
    this.#waiting.refuseLate();
    // A batch is never empty. Its first item waited longest.
    const { since } = batch[0] as Waiting<Item, Result>;
    events.emit('batchBegan', this.#work.name, batch, performance.now() - since);
    this.#inFlight.add(batch);
    this.#itemsInFlight += batch.length;
    this.#turn = batch;
    const turnOver = setTimeout(() => this.#endTurn(batch), this.#work.turnMs ?? this.#size.turnMs);
    // `finally`, so that these answers go out first.
    void this.#run(batch).finally(() => {
      clearTimeout(turnOver);
      this.#inFlight.delete(batch);
      this.#itemsInFlight -= batch.length;
      events.emit('batchEnded', batch);
      this.#endTurn(batch);
    });
  }

  #endTurn(batch: readonly Waiting<Item, Result>[]): void {
    if (this.#turn === batch) this.#turn = undefined;
    this.#next();
  }

  /** @returns why it failed */
  async #run(batch: readonly Waiting<Item, Result>[], run = this.#work.run): Promise<unknown> {
    try {
      await this.#runAndAnswer(batch, run);
      return undefined;
    } catch (error) {
      if (batch.length === 1 || !mayBeOneItem(error)) for (const { reject } of batch) reject(error);
      else if (error instanceof RolledBackError) {
        this.#size.rolledBack(batch.length);
        // Not awaited, so that other batches can run: one of the items may wait for a lock.
        void this.#failed.add(batch);
      } else await this.#failed.add(batch);
      return error;
    }
  }

  async #runAndAnswer(batch: readonly Waiting<Item, Result>[], run: Run<Item, Result>): Promise<void> {
    const began = performance.now();
    const before = performance.eventLoopUtilization();
    const results = await run(
      batch.map(({ item }) => item),
      this.#deadlineOf(batch, began),
    );
    const { idle } = performance.eventLoopUtilization(before);
    this.#size.learn(performance.now() - began, idle, batch.length);
    const left = batch.filter((_, at) => results[at] === heldUp);
    if (left.length > 0) void this.#failed.add(left);
    // `run` gives a result for each item.
    for (const [at, { resolve }] of batch.entries())
      if (results[at] !== heldUp) resolve(results[at] as Result);
  }

  /** Items of a batch keep half of their time, so that each can run alone if one of them has to wait for a lock. */
  #deadlineOf(batch: readonly Waiting<Item, Result>[], now: number): number {
    const oldest = Math.min(...batch.map(({ since }) => since));
    const deadline = oldest + this.#timeoutMs;
    return batch.length === 1 ? deadline : now + (deadline - now) / 2;
  }
}
