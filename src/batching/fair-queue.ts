import { OverloadError } from '../database-errors.js';
import { Turns } from './turns.js';

interface Entry {
  readonly owner: string;
  /** Bytes, roughly. */
  readonly size: number;
}

const limits = { items: 10_000, bytes: 16 * 2 ** 20 };
/** Items refused at once. */
const mostLate = 500;

let waiting = 0;

/** In all queues, for metrics. */
export function requestsWaiting(): number {
  return waiting;
}

/** Items that wait. */
export class FairQueue<Item extends Entry> {
  readonly #turns = new Turns<Item>();
  readonly #isLate: (items: number) => boolean;
  #bytes = 0;

  /** @param isLate whether an item behind so many others would wait too long; never behind none */
  constructor(isLate: (items: number) => boolean) {
    this.#isLate = isLate;
  }

  get length(): number {
    return this.#turns.length;
  }

  /**
   * An owner may fill half of what others leave free, so that there is always room for another owner.
   *
   * @throws {OverloadError}
   */
  add(item: Item): void {
    const own = this.#turns.owners.get(item.owner)?.length ?? 0;
    const isFull = own >= limits.items - this.length || this.#bytes >= limits.bytes;
    if (isFull || this.#isLate(this.#before(own))) throw this.#overload(own);
    this.#turns.add(item.owner, item);
    this.#count(1, item.size);
  }

  /** One item of each owner in turn. */
  take(most: number): Item[] {
    const items = this.#turns.take(most);
    for (const { size } of items) this.#count(-1, -size);
    return items;
  }

  /** The oldest of owners whose items would wait too long: a few at a time, so that it takes little time. */
  takeLate(refuse: (item: Item, reason: OverloadError) => void): void {
    let left = mostLate;
    for (const [owner, own] of this.#turns.owners) {
      let late = 0;
      while (late < Math.min(left, own.length) && this.#isLate(this.#before(own.length - late - 1))) late++;
      if (late === 0) continue;
      left -= late;
      const reason = this.#overload(own.length);
      for (const item of this.#turns.drop(owner, late)) {
        this.#count(-1, -item.size);
        refuse(item, reason);
      }
    }
  }

  #count(items: number, bytes: number): void {
    this.#bytes += bytes;
    waiting += items;
  }

  /** Items that would be taken before an owner's item behind so many of its own. */
  #before(own: number): number {
    return Math.min(this.length, own * this.#turns.owners.size);
  }

  #overload(own: number): OverloadError {
    return 2 * own > this.length
      ? new OverloadError('owner requests', `${own} requests of this owner are waiting`)
      : new OverloadError('requests', `${this.length} requests are waiting`);
  }
}
