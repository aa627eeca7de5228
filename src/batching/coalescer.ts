import { CoDel } from '../fairness/codel.js';
import { type Entry, FairQueue } from '../fairness/fair-queue.js';
import { batchPlaces, type Places } from '../fairness/places.js';
import { events } from '../observability/events.js';
import { heldUp, isOwnFailure, mayBeOneItem } from './failed-batch.js';

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
  /** From its submission on, an item has as long: in the queue, in its batch and alone. */
  readonly timeoutMs?: number;
  /** Those of the database: all of its coalescers share them. By default, this one shares them with no other. */
  readonly batches?: Places<object>;
  /** Bytes, roughly. */
  sizeOf(item: Item): number;
}

interface Waiting<Item, Result> extends Entry {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
}

interface Lane<Item extends Entry> {
  readonly waiting: FairQueue<Item>;
  readonly maxBatches: number;
  /** In flight. */
  batches: number;
}

const defaults = { maxBatchSize: 50, timeoutMs: 8_000 };
/** PostgreSQL runs one batch while Node.js reads the requests of the next. */
const batchesAtOnce = 2;
/** Milliseconds after which one more batch begins: the database is far away, or slow. */
const nextAfterMs = 2;
/** Batches of all coalescers of a database: two of its twenty connections are left. */
const maxBatchesOfAll = 18;
/** Items of a failed batch that are tried again together. */
const ten = 10;
/** Milliseconds for which an owner has batches of its own, after one of its items failed. */
const apartMs = 1_000;
/** Of tens, and of items that run alone: each may wait for a lock. */
const maxRetries = 2;
/**
 * Items that arrive together, or while batches run, share a batch. Answers come after the commit.
 * docs/batching.md explains all of it.
 */
export class Coalescer<Item, Result> {
  readonly #work: Work<Item, Result>;
  readonly #maxBatchSize: number;
  readonly #timeoutMs: number;
  readonly #batches: Places<object>;
  readonly #new: Lane<Waiting<Item, Result>>;
  /** Items of failed batches. */
  readonly #tens: Lane<Waiting<Item, Result>>;
  /** Items of failed tens, and those that were held up. */
  readonly #alone: Lane<Waiting<Item, Result>>;
  #soon: NodeJS.Immediate | undefined;
  /** Owners with batches of their own, and until when, in milliseconds of performance.now(). */
  readonly #apart = new Map<string, number>();
  /** After a batch has begun. */
  #pause: NodeJS.Timeout | undefined;

  constructor(work: Work<Item, Result>) {
    const { maxBatchSize, timeoutMs } = { ...defaults, ...work };
    this.#work = work;
    this.#maxBatchSize = maxBatchSize;
    this.#timeoutMs = timeoutMs;
    this.#batches = work.batches ?? batchPlaces();
    const lane = (maxBatches: number, codel?: CoDel) => ({
      waiting: new FairQueue<Waiting<Item, Result>>(timeoutMs, codel),
      maxBatches,
      batches: 0,
    });
    this.#new = lane(Number.POSITIVE_INFINITY, new CoDel());
    this.#tens = lane(maxRetries);
    this.#alone = lane(maxRetries);
  }

  /**
   * @throws {DatabaseUnavailableError} if too many items wait, or this one has waited for too long
   * @throws {OutcomeUnknownError} if the item may have run
   * @throws what `run` throws for this item alone
   */
  submit(item: Item, owner = ''): Promise<Result> {
    return new Promise((resolve, reject) => {
      const size = this.#work.sizeOf(item);
      const waiting = { item, owner, size, since: performance.now(), resolve, reject };
      this.#new.waiting.admit(waiting);
      events.emit('itemWaits', waiting);
      // Runs after this event loop tick has read its requests.
      this.#soon ??= setImmediate(() => {
        this.#soon = undefined;
        this.#next();
      });
    });
  }

  #next(): void {
    const { runPatiently } = this.#work;
    while (this.#hasTurn(this.#alone))
      this.#begin(this.#alone, this.#alone.waiting.takeOfOneOwner(1), runPatiently);
    while (this.#hasTurn(this.#tens)) this.#begin(this.#tens, this.#tens.waiting.takeOfOneOwner(ten));
    while (this.#apart.size > 0 && this.#hasTurn(this.#tens, this.#new.waiting)) {
      const batch = this.#new.waiting.takeOfOneOwner(ten, (owner) => this.#isApart(owner));
      if (batch.length === 0) break;
      this.#begin(this.#tens, batch);
    }
    while (this.#hasTurn(this.#new) && (this.#new.batches < batchesAtOnce || this.#pause === undefined)) {
      const batch = this.#new.waiting.take(this.#maxBatchSize, (owner) => this.#isApart(owner));
      // All that waited may have been refused, or wait for batches of their own.
      if (batch.length === 0) break;
      this.#begin(this.#new, batch);
      this.#nextLater();
    }
    // No batch of this kind will end and call this again.
    const lanes = [this.#new, this.#tens, this.#alone];
    if (lanes.every(({ batches }) => batches === 0) && lanes.some(({ waiting }) => waiting.length > 0))
      this.#nextLater();
  }

  #nextLater(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#next();
    }, nextAfterMs);
  }

  /**
   * Each lane may have one batch more than its share, so that none stops while the others are stuck; but so many of
   * them can be stuck that together they leave connections to others, such as the look-up of tokens.
   */
  #hasTurn(lane: Lane<Waiting<Item, Result>>, waiting = lane.waiting): boolean {
    const { maxBatches, batches } = lane;
    if (waiting.length === 0 || batches >= maxBatches) return false;
    if (batches === 0) return this.#batches.taken < maxBatchesOfAll;
    return this.#batches.lackedBy(this) === undefined;
  }

  #begin(
    lane: Lane<Waiting<Item, Result>>,
    batch: readonly Waiting<Item, Result>[],
    run = this.#work.run,
  ): void {
    const leave = this.#batches.take(this);
    lane.batches++;
    // `finally`, so that these answers go out first.
    void this.#run(batch, run).finally(() => {
      lane.batches--;
      leave();
      this.#next();
    });
  }

  async #run(batch: readonly Waiting<Item, Result>[], run: Run<Item, Result>): Promise<void> {
    const now = performance.now();
    const oldest = Math.min(...batch.map(({ since }) => since));
    const leftMs = oldest + this.#timeoutMs - now;
    // Half of it is for those that have to run again, because one of them waits for a lock.
    const deadline = now + (batch.length === 1 ? leftMs : leftMs / 2);
    events.emit('batchBegan', this.#work.name, batch, now - oldest);
    try {
      const results = await run(
        batch.map(({ item }) => item),
        deadline,
      );
      this.#new.waiting.done(batch.length, performance.now());
      for (const [at, waiting] of batch.entries()) {
        if (results[at] === heldUp) this.#alone.waiting.add(waiting);
        // `run` gives a result for each item.
        else waiting.resolve(results[at] as Result);
      }
    } catch (error) {
      if (isOwnFailure(error)) this.#setApart(batch);
      if (batch.length > 1 && mayBeOneItem(error)) this.#tryAgain(batch);
      else for (const { reject } of batch) reject(error);
    }
    events.emit('batchEnded', batch);
  }

  /** The owner of a batch that failed for one of its items, if there is only one owner. */
  #setApart(batch: readonly Waiting<Item, Result>[]): void {
    const [owner = '', ...others] = new Set(batch.map((item) => item.owner));
    if (owner !== '' && others.length === 0) this.#apart.set(owner, performance.now() + apartMs);
  }

  #isApart(owner: string): boolean {
    const until = this.#apart.get(owner);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.#apart.delete(owner);
    return false;
  }

  #tryAgain(batch: readonly Waiting<Item, Result>[]): void {
    const { waiting } = batch.length > ten ? this.#tens : this.#alone;
    for (const item of batch) waiting.add(item);
  }
}
