import { OverloadError, WaitedTooLongError } from '../errors/database.js';
import { Turns } from './turns.js';

export interface Entry {
  readonly owner: string;
  /** Bytes, roughly. */
  readonly size: number;
  /** Milliseconds of performance.now(). */
  readonly since: number;
  readonly reject: (error: unknown) => void;
}

const limits = { items: 10_000, bytes: 16 * 2 ** 20 };
/** Items that one call refuses: it holds up the event loop. */
const mostRefused = 500;
/** Batches that are stuck end late, and only then would others leave the queue. */
const watchMs = 100;

let waiting = 0;

/** In all queues, for metrics. */
export function requestsWaiting(): number {
  return waiting;
}

/** Items that wait. */
export class FairQueue<Item extends Entry> {
  readonly #turns = new Turns<Item>();
  readonly #isLate: (items: number) => boolean;
  readonly #timeoutMs: number;
  #bytes = 0;
  /** While items wait. */
  #watch: NodeJS.Timeout | undefined;

  /**
   * @param isLate whether an item with so many before it would wait too long; false for 0
   * @param timeoutMs an item that has waited longer is refused
   */
  constructor(isLate: (items: number) => boolean, timeoutMs: number) {
    this.#isLate = isLate;
    this.#timeoutMs = timeoutMs;
  }

  get length(): number {
    return this.#turns.length;
  }

  /**
   * An owner may fill half of the places that others leave free, so that another owner finds one. The bytes
   * are everybody's.
   *
   * @throws {OverloadError}
   */
  add(item: Item): void {
    const { owners } = this.#turns;
    const own = owners.get(item.owner)?.length ?? 0;
    const isFull = own >= limits.items - this.length || this.#bytes >= limits.bytes;
    const count = own === 0 ? owners.size + 1 : owners.size;
    if (isFull || this.#isLate(this.#ahead(own, count))) throw this.#overload(item.owner, own);
    this.#turns.add(item.owner, item);
    this.#count(1, item.size);
    this.#watch ??= setTimeout(() => this.#refuseOld(), watchMs).unref();
  }

  /** One item of each owner in turn. */
  take(most: number): Item[] {
    const items = this.#turns.take(most);
    for (const { size } of items) this.#count(-1, -size);
    return items;
  }

  /** The oldest items of owners whose newest would wait too long. */
  refuseLate(): void {
    const { owners } = this.#turns;
    this.#refuse(
      (own, most) => {
        let late = 0;
        const isLate = () => this.#isLate(this.#ahead(own.length - late - 1, owners.size));
        while (late < Math.min(most, own.length - 1) && isLate()) late++;
        return late;
      },
      (owner, own) => this.#overload(owner, own),
    );
  }

  #refuseOld(): void {
    const end = performance.now() - this.#timeoutMs;
    const mayBeMore = this.#refuse(
      (own, most) => {
        const firstToStay = own.findIndex(({ since }) => since > end);
        return Math.min(most, firstToStay === -1 ? own.length : firstToStay);
      },
      () => new WaitedTooLongError(this.#timeoutMs),
    );
    const pause = mayBeMore ? 0 : watchMs;
    this.#watch = this.length > 0 ? setTimeout(() => this.#refuseOld(), pause).unref() : undefined;
  }

  /**
   * @param countOf how many of an owner's items, the oldest first
   * @returns whether it has stopped before the end
   */
  #refuse(
    countOf: (own: readonly Item[], most: number) => number,
    reasonFor: (owner: string, count: number) => Error,
  ): boolean {
    let left = mostRefused;
    for (const [owner, own] of this.#turns.owners) {
      const count = countOf(own, left);
      if (count === 0) continue;
      left -= count;
      const reason = reasonFor(owner, own.length);
      for (const item of this.#turns.drop(owner, count)) {
        this.#count(-1, -item.size);
        item.reject(reason);
      }
    }
    return left === 0;
  }

  #count(items: number, bytes: number): void {
    this.#bytes += bytes;
    waiting += items;
  }

  /** The items that leave before one that has so many of its owner before it. */
  #ahead(own: number, owners: number): number {
    return Math.min(this.length, (own + 1) * owners - 1);
  }

  #overload(owner: string, own: number): OverloadError {
    // Tokens that are looked up have no owner yet.
    return owner !== '' && 2 * own > this.length
      ? new OverloadError('owner requests', `${own} requests of this owner are waiting`)
      : new OverloadError('requests', `${this.length} requests are waiting`);
  }
}
