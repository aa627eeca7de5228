import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError, OutcomeUnknownError, RolledBackError } from './database.js';

export interface Work<Item, Result> {
  /** Runs some items in one statement: all of them or none. The results are in the order of the items. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** How many items share a statement at most; a thousand, where it does not say. */
  readonly batch?: number;
  /** For how many milliseconds a statement has the next one wait; ten, if it does not say. */
  readonly turn?: number;
  /** About how many bytes an item holds while it waits. */
  sizeOf(item: Item): number;
  /**
   * Whether an item may be run twice, as its caller would do who sends it again after a lost reply. What others
   * did meanwhile can be undone by it: a plant that was deleted between the two is there again.
   */
  readonly repeatable: boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * How many statements are under way at most, and for how many milliseconds each has the next one wait. One after
 * the other they are larger, and PostgreSQL has less to do: 64 clients create more than with two at a time (by a
 * seventh; by 2 to 5 % where each takes a third of all). One that takes longer waits for a lock, or the database is far
 * away; the next then goes beside it.
 */
const statements = { most: 2, turn: 10 };
/**
 * Up to so many share one statement. Of more, half do, so that PostgreSQL works on one half while this process reads the
 * next requests of the other. Left to themselves, a large batch and a small one take turns, of 60 and 4. Who was in the
 * statement before counts, since who was answered comes again.
 */
const few = 16;
/** How many items share a statement at most, and how many items and bytes wait at most. */
const limits = { batch: 1_000, items: 10_000, bytes: 16 * 2 ** 20 };
/** Milliseconds that an unknown outcome is inquired into, and between two inquiries. */
const settling = { bound: 5_000, pause: 50 };

/**
 * Gathers what callers ask for at the same moment into one statement. An item that comes while none is under way
 * goes at once, with those that came in the same moment, or half of them if they are many; others go together when
 * that one ends, or has had its turn. Each caller gets its own answer, after the commit.
 */
export class Coalescer<Item, Result> {
  readonly #work: Work<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  readonly #underWay = new Set<readonly Waiting<Item, Result>[]>();
  /** The batch that the next one waits for. */
  #turn: readonly Waiting<Item, Result>[] | undefined;
  /** How many items were in the batch before; none, once none has been under way. */
  #sizeBefore = 0;

  constructor(work: Work<Item, Result>) {
    this.#work = work;
  }

  /**
   * @throws {DatabaseUnavailableError} at once where too much is waiting already
   * @throws {OutcomeUnknownError} where the connection was lost, and it is not known whether the item was run
   * @throws what `run` throws for this item alone
   */
  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= limits.items || this.#waitingBytes >= limits.bytes) {
      return Promise.reject(new DatabaseUnavailableError('too many requests are waiting for it already'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#waitingBytes += this.#work.sizeOf(item);
      // After the requests that arrived together with this one have been read, and before the next ones.
      if (this.#waiting.length === 1) setImmediate(() => this.#next());
    });
  }

  /** Starts a statement, if it can. */
  #next(): void {
    if (this.#turn !== undefined || this.#underWay.size === statements.most) return;
    if (this.#waiting.length === 0) {
      if (this.#underWay.size === 0) this.#sizeBefore = 0;
      return;
    }
    const all = this.#waiting.length + this.#sizeBefore;
    const share = all > few ? Math.ceil(all / 2) : all;
    const batch = this.#waiting.splice(0, Math.min(share, this.#work.batch ?? limits.batch));
    for (const { item } of batch) this.#waitingBytes -= this.#work.sizeOf(item);
    this.#sizeBefore = batch.length;
    this.#underWay.add(batch);
    this.#turn = batch;
    const over = setTimeout(() => this.#endTurn(batch), this.#work.turn ?? statements.turn);
    // Its answers go out before the next query. While PostgreSQL has the other of two cores, each of them wakes its client
    // on the core of this thread, which then takes it: 25 µs for an answer in place of 11 (perf sched); 10 % more deletes
    // and 12 % more creates this way round (medians of 24 and 40 rounds).
    void this.#run(batch).finally(() => {
      clearTimeout(over);
      this.#underWay.delete(batch);
      this.#endTurn(batch);
    });
  }

  /** Starts the next batch: this one is done, or has had its turn. */
  #endTurn(batch: readonly Waiting<Item, Result>[]): void {
    if (this.#turn === batch) this.#turn = undefined;
    this.#next();
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      await this.#answer(batch);
    } catch (error) {
      if (error instanceof OutcomeUnknownError && this.#work.repeatable) {
        // Not awaited: those who wait for a statement of their own do not wait for this.
        void this.#settle(batch, error);
      } else if (error instanceof RolledBackError && batch.length > 1) {
        // One of them may wait for a lock, and the others must not wait with it, nor those that come after them.
        void Promise.all(batch.map((waiting) => this.#run([waiting])));
      } else if (error instanceof DatabaseUnavailableError || batch.length === 1) {
        for (const { reject } of batch) reject(error);
      } else {
        // One of the items failed them all, and rolled them all back: each of the others can still succeed.
        for (const waiting of batch) await this.#run([waiting]);
      }
    }
  }

  async #answer(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const results = await this.#work.run(batch.map(({ item }) => item));
    for (const [index, { resolve }] of batch.entries()) {
      // `run` gives a result for each item.
      resolve(results[index] as Result);
    }
  }

  /** Runs a batch again, now that nobody knows whether it was run, until the database says what is true. */
  async #settle(batch: readonly Waiting<Item, Result>[], unknown: OutcomeUnknownError): Promise<void> {
    const deadline = Date.now() + settling.bound;
    while (Date.now() < deadline) {
      await pause(settling.pause);
      try {
        return await this.#answer(batch);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) break;
      }
    }
    for (const { reject } of batch) reject(unknown);
  }
}
