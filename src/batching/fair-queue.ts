import { OverloadError } from '../database-errors.js';

interface Entry {
  readonly owner: string;
  /** Bytes, roughly. */
  readonly size: number;
}

const limits = { items: 10_000, bytes: 16 * 2 ** 20 };
/** Milliseconds for an item, until they are measured. */
const assumedPace = 0.05;

let waiting = 0;

/** In all queues, for metrics. */
export function requestsWaiting(): number {
  return waiting;
}

/** Items that wait. Owners take turns, and an owner's items keep their order. */
export class FairQueue<Item extends Entry> {
  readonly #owners = new Map<string, Item[]>();
  readonly #maxWaitMs: number;
  #length = 0;
  #bytes = 0;
  #pace = assumedPace;
  /** Items taken last, and when, if others were left. */
  #taken: { readonly items: number; readonly at: number } | undefined;

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  get length(): number {
    return this.#length;
  }

  /**
   * An owner may fill half of what others leave free, so that there is always room for another owner.
   *
   * @throws {OverloadError}
   */
  add(item: Item): void {
    const own = this.#owners.get(item.owner);
    if ((own?.length ?? 0) >= limits.items - this.#length || this.#bytes >= limits.bytes) {
      throw this.#overload(own?.length ?? 0);
    }
    if (own === undefined) this.#owners.set(item.owner, [item]);
    else own.push(item);
    this.#count(1, item.size);
  }

  /** One item of each owner in turn. */
  take(most: number): Item[] {
    this.#measure();
    const items: Item[] = [];
    for (const [owner, own] of this.#owners) {
      if (items.length === most) break;
      // Owners whose turn was follow the others. A lone owner needs no turns.
      this.#owners.delete(owner);
      items.push(...own.splice(0, this.#owners.size === 0 ? most - items.length : 1));
      if (own.length > 0) this.#owners.set(owner, own);
    }
    for (const { size } of items) this.#count(-1, -size);
    this.#taken = this.#length === 0 ? undefined : { items: items.length, at: performance.now() };
    return items;
  }

  /** The newest, if they would wait too long: as many as were just taken, so that it takes little time. */
  takeLate(refuse: (item: Item, reason: OverloadError) => void): void {
    let left = this.#taken?.items ?? 0;
    if (this.#length * this.#pace <= this.#maxWaitMs) return;
    for (const [owner, own] of this.#owners) {
      while (left > 0 && this.#waitOf(own) > this.#maxWaitMs) {
        // `own` is not empty.
        const item = own.pop() as Item;
        this.#count(-1, -item.size);
        left--;
        refuse(item, this.#overload(own.length));
      }
      if (own.length === 0) this.#owners.delete(owner);
    }
  }

  #count(items: number, bytes: number): void {
    this.#length += items;
    this.#bytes += bytes;
    waiting += items;
  }

  /** Milliseconds until an owner's last item is taken. */
  #waitOf(own: readonly Item[]): number {
    return Math.min(this.#length, own.length * this.#owners.size) * this.#pace;
  }

  #measure(): void {
    if (this.#taken === undefined) {
      this.#pace = assumedPace;
      return;
    }
    const pace = (performance.now() - this.#taken.at) / this.#taken.items;
    // A database that stops for a moment is not slow.
    this.#pace += (Math.min(pace, 4 * this.#pace) - this.#pace) / 8;
  }

  #overload(own: number): OverloadError {
    return 2 * own > this.#length
      ? new OverloadError('owner requests', `${own} requests of this owner are waiting`)
      : new OverloadError('requests', `${this.#length} requests are waiting`);
  }
}
