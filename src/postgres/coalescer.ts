import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError, OutcomeUnknownError, RolledBackError } from './database.js';

export interface Work<Item, Result> {
  /** Runs some items in one statement: all of them or none. The results are in the order of the items. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** The largest batch; 1,000 items by default. */
  readonly maxBatchSize?: number;
  /** Milliseconds after which the next batch no longer waits for this one; 10 by default. */
  readonly turnMs?: number;
  /** About how many bytes an item holds while it waits. */
  sizeOf(item: Item): number;
  /**
   * Whether the coalescer may run an item again if its outcome is unknown, as a client would that lost the
   * reply.
   */
  readonly repeatable: boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches run one after the other, because fewer and larger statements cost PostgreSQL less. A batch that
 * takes longer than its turn waits for a lock or for the network, so the next one runs beside it.
 */
const maxInFlight = 2;
const defaultTurnMs = 10;
/**
 * If more than this many items want an answer, a batch takes half of them: PostgreSQL runs one half while
 * Node.js reads requests for the other. Without this rule, batches of very different sizes take turns.
 */
const maxUndivided = 16;
const defaultMaxBatchSize = 1_000;
const maxWaiting = { items: 10_000, bytes: 16 * 2 ** 20 };
/** How long the coalescer asks for an unknown outcome, and how long it waits between two tries. */
const settling = { limitMs: 5_000, pauseMs: 50 };

/**
 * Runs items that callers submit at the same moment as one batch. If no batch is in flight, an item goes out
 * at the end of the event loop tick that read it. Otherwise it goes with the next batch. Each caller gets its
 * own answer, after the commit.
 */
export class Coalescer<Item, Result> {
  readonly #work: Work<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #waitingBytes = 0;
  readonly #inFlight = new Set<readonly Waiting<Item, Result>[]>();
  /** The batch that the next one waits for. */
  #turn: readonly Waiting<Item, Result>[] | undefined;
  /** The size of the batch before, whose clients are about to send their next requests; 0 after a pause. */
  #sizeBefore = 0;

  constructor(work: Work<Item, Result>) {
    this.#work = work;
  }

  /**
   * @throws {DatabaseUnavailableError} at once, if too many items are waiting
   * @throws {OutcomeUnknownError} if the connection was lost and nobody knows whether the item was run
   * @throws what `run` throws for this item alone
   */
  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= maxWaiting.items || this.#waitingBytes >= maxWaiting.bytes) {
      return Promise.reject(new DatabaseUnavailableError('too many requests are waiting for it already'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#waitingBytes += this.#work.sizeOf(item);
      // At the end of this event loop tick, when all requests that arrived together have been read.
      if (this.#waiting.length === 1) setImmediate(() => this.#next());
    });
  }

  /** Starts the next batch, if one may start now. */
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
    this.#sizeBefore = batch.length;
    this.#inFlight.add(batch);
    this.#turn = batch;
    const turnOver = setTimeout(() => this.#endTurn(batch), this.#work.turnMs ?? defaultTurnMs);
    // The answers of a batch go out before the next query: docs/benchmarks.md.
    void this.#run(batch).finally(() => {
      clearTimeout(turnOver);
      this.#inFlight.delete(batch);
      this.#endTurn(batch);
    });
  }

  /** Starts the next batch: this one is done, or has used up its turn. */
  #endTurn(batch: readonly Waiting<Item, Result>[]): void {
    if (this.#turn === batch) this.#turn = undefined;
    this.#next();
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      await this.#answer(batch);
    } catch (error) {
      if (error instanceof OutcomeUnknownError && this.#work.repeatable) {
        // Not awaited, so that other batches go on meanwhile.
        void this.#settle(batch, error);
      } else if (error instanceof RolledBackError && batch.length > 1) {
        // One item may wait for a lock. Alone, it holds up nobody else.
        void Promise.all(batch.map((waiting) => this.#run([waiting])));
      } else if (error instanceof DatabaseUnavailableError || batch.length === 1) {
        for (const { reject } of batch) reject(error);
      } else {
        // One item made the statement fail and rolled back all others, which can still succeed one by one.
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

  /** Runs a batch of unknown outcome again, until the database answers. */
  async #settle(batch: readonly Waiting<Item, Result>[], unknown: OutcomeUnknownError): Promise<void> {
    const deadline = Date.now() + settling.limitMs;
    while (Date.now() < deadline) {
      await pause(settling.pauseMs);
      try {
        return await this.#answer(batch);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) break;
      }
    }
    for (const { reject } of batch) reject(unknown);
  }
}
