/**
 * Requests of the same moment share a statement.
 *
 * A commit waits for the disk, and a statement for the network. If 1,000 creates that arrive together were
 * 1,000 statements, each would pay for a round trip and a commit of its own, and they would queue for twenty
 * connections. If they all were one statement, PostgreSQL would have nothing to do while Node.js reads the
 * requests, and Node.js nothing while PostgreSQL runs them; and one bad row would fail all. So they go in
 * batches of up to 50, in this order:
 *
 * 1. `submit` puts an item into the queue of the lane `shared`. A queue takes turns between owners
 *    (fair-queue.ts).
 * 2. After this event loop tick has read its requests, a batch takes up to 50 of those that wait, and begins
 *    at once if fewer than two are in flight: PostgreSQL runs one while Node.js reads the requests of the
 *    other.
 * 3. If two are in flight, one more begins after 2 ms, and so on, up to eight. If the database is near, a
 *    batch ends before that. If it is far away or slow, the next one does not wait for it.
 * 4. The answers go out when the batch is committed. Then the next one begins.
 * 5. If PostgreSQL rolled a batch back or refused one of its items, the items run again in the lane
 *    `retries`, in batches of up to 10 of one owner. If a batch of up to 10 fails, its items run in the lane
 *    `alone`, again and again if PostgreSQL rolls it back: it may wait for a lock. `retries` has four batches in
 *    flight at most, each of another owner, and `alone` two.
 * 6. If an item failed for a reason of its own, or a batch of several owners was slow (pace.ts), their items go
 *    to `retries` at once for the next second, so that they do not fail or delay the batches of others. An owner
 *    whose own batches are slow stays there until a second after the first quick one.
 *
 * An item has 8 s from the arrival of its request on. It may wait in queues until 7 s of them are over, so its batch
 * always has at least 1 s. PostgreSQL ends a statement that takes 8 s. What is not answered 2 s after the time of its
 * oldest item is given up (database.ts), and its items may have been carried out.
 *
 * For example, one owner sends 200 creates at once, and a batch takes 20 ms. Two batches of 50 begin at
 * once, one after 2 ms and one after 4 ms, so all are done after 24 ms. If one create is bad, the 50 of its
 * batch run again as 5 batches of 10, one after the other, and the 10 of the bad one run again alone. Another
 * owner has deleted a million plants, so each of its lists takes 50 ms until the next vacuum. The first batch
 * with some of them makes the others wait, too. Then its owners have batches of their own for a second: those of
 * the one are slow, so it stays by itself, and the others share again.
 *
 * The costs are that a create which arrives while two batches are in flight waits for up to 2 ms, that a
 * bad item takes up to 15 statements more, and that the owners of a slow batch share no statements for a second.
 * docs/batching.md has more cases in numbers.
 */
import { LRUCache } from 'lru-cache';
import { RolledBackError } from '../errors/database.js';
import { WaitedTooLongError } from '../errors/overloads.js';
import { type Clock, processClock } from '../fairness/clock.js';
import { CoDel } from '../fairness/codel.js';
import { type Entry, FairQueue } from '../fairness/fair-queue.js';
import { batchSlots, type Slots } from '../fairness/slots.js';
import { events } from '../observability/events.js';
import { isOwnFailure, mayBeOneItem, mayRunAgain } from './failed-batch.js';
import { Pace } from './pace.js';

/**
 * Runs all items or none.
 *
 * @param deadline milliseconds of the clock at which it should have ended
 * @returns a result for each item, in their order
 * @throws {OutcomeUnknownError} if the items may have run
 * @throws {Error} any other error if none has run; failed-batch.ts decides by it what runs again
 */
type Run<Item, Result> = (items: readonly Item[], deadline: number) => Promise<readonly Result[]>;

/** What a coalescer does, and how much of it at once. */
interface Work<Item, Result> {
  /** Names the batches in metrics and traces. */
  readonly name: string;
  readonly run: Run<Item, Result>;
  /** How many items a batch of any lane has at most. If left out, 50. */
  readonly maxBatchSize?: number;
  /** How long an item has from the arrival of its request on. If left out, 8 s. */
  readonly timeoutMs?: number;
  /** The slots for batches, which all coalescers of a database share. If left out, this one has its own. */
  readonly batches?: Slots<object>;
  /** If left out, that of the process. */
  readonly clock?: Clock;
}

/** An item that waits for its batch, and the promise of its result. */
interface Waiting<Item, Result> extends Entry {
  readonly item: Item;
  /** Milliseconds of the clock at which its batch should have ended. */
  readonly deadline: number;
  readonly resolve: (result: Result) => void;
}

/** A queue, and the batches of its items. The beginning of this file says what the three lanes are for. */
interface Lane<Item, Result> {
  readonly queue: FairQueue<Waiting<Item, Result>>;
  readonly maxBatchSize: number;
  /** How many batches may be in flight. */
  readonly maxInFlight: number;
  inFlight: number;
  /** The owners who have a batch in flight, in a lane whose batches are of one owner each. */
  readonly busy: Set<string>;
}

const defaults = { maxBatchSize: 50, timeoutMs: 8_000, clock: processClock };
/** This part of an item's time is for its batch: it may wait in queues until no more is left. */
const batchShare = 1 / 8;
/** So many batches of the lane `shared` begin without a pause. */
const batchesAtOnce = 2;
/** If so many are in flight, another one begins after this pause. */
const nextBatchAfterMs = 2;
/**
 * Batches of all coalescers of a database, which has twenty connections. Two are left for other statements.
 */
const maxBatchesOfAll = 18;
/** How many items a batch of the lane `retries` has at most. */
const maxRetryBatchSize = 10;
/** How many batches the lane `retries` has in flight at most, which some slow owners shall not take from others. */
const maxRetriesInFlight = 4;
/** How many batches the lane `alone` has in flight at most. */
const maxAloneInFlight = 2;
/** How long the items of an owner go to `retries` at once, after one of them failed for a reason of its own, or was slow. */
const apartForMs = 1_000;
/** If more owners fail at the same time, the others of them fail the batches that they share. */
const maxApart = 1_000;
/**
 * If so many owners are apart, no slow batch adds any, because then the database is slow, and not some owners: it
 * does less if everybody has statements of their own.
 */
const maxApartIfSlow = 100;

/** Collects the items of one kind of statement, and runs them in batches. */
export class Coalescer<Item, Result> {
  readonly #work: Work<Item, Result>;
  readonly #timeoutMs: number;
  readonly #batchMs: number;
  readonly #clock: Clock;
  readonly #batches: Slots<object>;
  readonly #shared: Lane<Item, Result>;
  readonly #retries: Lane<Item, Result>;
  readonly #alone: Lane<Item, Result>;
  /** The owners who had an item fail for a reason of its own in the last second, or were in a slow batch. */
  readonly #apart: LRUCache<string, true>;
  readonly #pace = new Pace();
  /** Set until this event loop tick has read its requests. */
  #soon: NodeJS.Immediate | undefined;
  /** Set while items wait for 2 ms, after which one more batch begins. It ends the wait. */
  #endPause: (() => void) | undefined;

  constructor(work: Work<Item, Result>) {
    const { maxBatchSize, timeoutMs, clock } = { ...defaults, ...work };
    this.#work = work;
    this.#timeoutMs = timeoutMs;
    this.#batchMs = timeoutMs * batchShare;
    this.#clock = clock;
    // A resolution above 0 would make lru-cache start a timer for each request.
    this.#apart = new LRUCache({ max: maxApart, ttl: apartForMs, ttlResolution: 0, perf: clock });
    this.#batches = work.batches ?? batchSlots();
    const queue = (codel?: CoDel) => new FairQueue<Waiting<Item, Result>>(codel, clock);
    const lane = (maxBatchSize: number, maxInFlight: number, codel?: CoDel) => ({
      queue: queue(codel),
      maxBatchSize,
      maxInFlight,
      inFlight: 0,
      busy: new Set<string>(),
    });
    this.#shared = lane(maxBatchSize, Number.POSITIVE_INFINITY, new CoDel());
    this.#retries = lane(Math.min(maxBatchSize, maxRetryBatchSize), maxRetriesInFlight);
    this.#alone = lane(1, maxAloneInFlight);
  }

  /**
   * Runs the item in a batch with others.
   *
   * @param owner whose turn in the queue it is; empty if the item has no owner, such as a token that is
   * looked up
   * @param arrivedAt when its request arrived, in milliseconds of the clock. If left out, now
   * @returns the result that `run` has for the item
   * @throws {OverloadError} if too many items wait
   * @throws {WaitedTooLongError} if 7/8 of its time are over before its batch begins
   * @throws {OutcomeUnknownError} if the item may have run
   * @throws {ServiceUnavailableError} if it has not run: the database is away, has rolled it back, or had no
   * connection for it in time
   * @throws {Error} what `run` throws for this item alone, or for any items, such as a RefusedStatementError
   */
  submit(item: Item, owner = '', arrivedAt?: number): Promise<Result> {
    return new Promise((resolve, reject) => {
      const since = this.#clock.now();
      const deadline = (arrivedAt ?? since) + this.#timeoutMs;
      const waitsUntil = deadline - this.#batchMs;
      const waiting = { item, owner, since, waitsUntil, deadline, resolve, reject };
      if (since >= waitsUntil) {
        reject(new WaitedTooLongError());
        return;
      }
      const { queue } = this.#apart.has(owner) ? this.#retries : this.#shared;
      queue.admit(waiting);
      this.#soon ??= setImmediate(() => {
        this.#soon = undefined;
        this.#beginBatches();
      });
    });
  }

  #beginBatches(): void {
    while (this.#mayBegin(this.#alone)) this.#begin(this.#alone, this.#alone.queue.takeOfOneOwner(1));
    while (this.#mayBegin(this.#retries)) {
      const { queue, maxBatchSize, busy } = this.#retries;
      const batch = queue.takeOfOneOwner(maxBatchSize, busy);
      if (batch.length === 0) break;
      for (const { owner } of batch) busy.add(owner);
      this.#begin(this.#retries, batch);
    }
    while (this.#shared.inFlight < batchesAtOnce && this.#mayBegin(this.#shared)) this.#beginShared();
    // Each batch that ends calls this again. A lane that has no batch in flight, because other coalescers
    // have all slots, has none that will end. So a timer tries again.
    const isStarved = [this.#shared, this.#retries, this.#alone].some(
      ({ inFlight, queue }) => inFlight === 0 && queue.length > 0,
    );
    if (isStarved || this.#mayBegin(this.#shared)) this.#beginOneMoreLater();
  }

  #beginOneMoreLater(): void {
    this.#endPause ??= this.#clock.after(nextBatchAfterMs, () => {
      this.#endPause = undefined;
      if (this.#mayBegin(this.#shared)) this.#beginShared();
      this.#beginBatches();
    });
  }

  #beginShared(): void {
    this.#endPause?.();
    this.#endPause = undefined;
    this.#begin(this.#shared, this.#shared.queue.take(this.#shared.maxBatchSize));
  }

  /**
   * @returns whether a lane may begin a batch. A lane without one may exceed the slots of its kind, so that
   * it does not stop while the batches of the others are blocked. Even then, all batches together leave some
   * connections to other statements, such as the look-up of tokens.
   */
  #mayBegin({ queue, inFlight, maxInFlight }: Lane<Item, Result>): boolean {
    if (queue.length === 0 || inFlight >= maxInFlight) return false;
    if (inFlight === 0) return this.#batches.taken < maxBatchesOfAll;
    return this.#batches.exceededLimit(this) === undefined;
  }

  #begin(lane: Lane<Item, Result>, batch: readonly Waiting<Item, Result>[]): void {
    this.#batches.forceAcquire(this);
    lane.inFlight++;
    // The answers of this batch go out before the next one is sent, because `finally` runs after them.
    void this.#run(lane, batch).finally(() => {
      lane.inFlight--;
      for (const { owner } of batch) lane.busy.delete(owner);
      this.#batches.release(this);
      this.#beginBatches();
    });
  }

  async #run(lane: Lane<Item, Result>, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const oldest = batch.reduce((least, { since }) => Math.min(least, since), Number.POSITIVE_INFINITY);
    const began = this.#clock.now();
    events.emit('batchBegan', this.#work.name, batch, began - oldest);
    try {
      const items = batch.map(({ item }) => item);
      const deadline = batch.reduce((least, it) => Math.min(least, it.deadline), Number.POSITIVE_INFINITY);
      const results = await this.#work.run(items, deadline);
      batch.forEach((waiting, at) => {
        // `run` gives a result for each item.
        waiting.resolve(results[at] as Result);
      });
      this.#shared.queue.done(batch.length, this.#clock.now());
      this.#judge(lane, batch, began);
    } catch (error) {
      // Many statements that are too slow end so.
      if (error instanceof RolledBackError) this.#judge(lane, batch, began);
      this.#fail(batch, error);
    }
  }

  /** If a batch of several owners was slow, one of them may be the reason, so each of them shares none for a second. */
  #judge(lane: Lane<Item, Result>, batch: readonly Waiting<Item, Result>[], began: number): void {
    const isSlow = this.#pace.isSlow(this.#clock.now() - began);
    if (lane === this.#shared && !isSlow) return;
    const owners = new Set(batch.map(({ owner }) => owner));
    const [first = '', ...others] = owners;
    // Look-ups of tokens have no owners.
    if (owners.has('')) return;
    if (others.length === 0) {
      // Nobody else waits for a batch of one owner. But if the owner is apart already, it stays so for as long as its
      // next batch may wait and run, and for a second once its batches are quick.
      if (lane === this.#shared) return;
      if (isSlow) this.#keepApart(first, this.#timeoutMs + apartForMs);
      else if (this.#apart.getRemainingTTL(first) > apartForMs) this.#keepApart(first);
      return;
    }
    if (!isSlow) return;
    this.#apart.purgeStale();
    for (const owner of owners) if (this.#apart.size < maxApartIfSlow) this.#keepApart(owner);
  }

  #fail(batch: readonly Waiting<Item, Result>[], error: unknown): void {
    const owners = new Set(batch.map(({ owner }) => owner));
    // A batch of several owners does not say whose item was bad.
    if (isOwnFailure(error) && owners.size === 1) for (const owner of owners) this.#keepApart(owner);
    // The error of a lone item is its own. It runs again only if PostgreSQL rolled it back, for example because of
    // a lock, or if it was not sent.
    const canRunAgain = batch.length === 1 ? mayRunAgain(error) : mayBeOneItem(error);
    // A batch of 50 is tried again in tens, and a smaller one item by item.
    const { queue } = batch.length > maxRetryBatchSize ? this.#retries : this.#alone;
    // Nobody knows which item was bad. So one whose time is over must not get a failure that may be another's.
    const reason = batch.length > 1 && isOwnFailure(error) ? new RolledBackError(tooLate(error)) : error;
    const now = this.#clock.now();
    for (const waiting of batch) {
      if (canRunAgain && now < waiting.waitsUntil) queue.add(waiting);
      else waiting.reject(reason);
    }
  }

  /** Lets the owner share no batches, by default for a second, also with what it has in the queue. */
  #keepApart(owner: string, ttl = apartForMs): void {
    if (owner === '') return;
    this.#apart.set(owner, true, { ttl });
    for (const waiting of this.#shared.queue.takeAllOf(owner)) this.#retries.queue.add(waiting);
  }
}

function tooLate(cause: unknown): Error {
  return new Error('its batch failed because of one item, and its own time is over', { cause });
}
