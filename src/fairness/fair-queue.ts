import { setImmediate as nextLoopTick } from 'node:timers/promises';
import { OverloadError, WaitedTooLongError } from '../errors/database.js';
import type { CoDel } from './codel.js';
import { OwnerPlaces } from './places.js';

export interface Entry {
  readonly owner: string;
  /** Bytes, roughly. */
  readonly size: number;
  /** Milliseconds of performance.now(). */
  readonly since: number;
  readonly reject: (error: unknown) => void;
}

interface Waiting<Item> {
  readonly item: Item;
  leave(): void;
}

const limits = { items: 10_000, bytes: 32 * 2 ** 20 };
const reasons = { all: 'requests', owner: 'owner requests' } as const;
/** Items that are refused in one event loop tick: each answer takes time. */
const maxRefused = 500;
/** How often the queue looks at what waits. It does not wait for a batch to end, because a batch can be stuck. */
const watchMs = 100;

let waiting = 0;

/** In all queues, for metrics. */
export function requestsWaiting(): number {
  return waiting;
}

/** Items that wait, in a queue of each owner. The owners take turns. docs/batching.md says who is refused, and when. */
export class FairQueue<Item extends Entry> {
  /** In the order in which they came; none is empty. */
  readonly #owners = new Map<string, Waiting<Item>[]>();
  readonly #places = new OwnerPlaces({ all: limits.items }, { ...reasons, what: 'requests are waiting' });
  readonly #bytes = new OwnerPlaces({ all: limits.bytes }, { ...reasons, what: 'bytes are waiting' });
  readonly #timeoutMs: number;
  readonly #codel: CoDel | undefined;
  /** While items wait. */
  #watch: NodeJS.Timeout | undefined;

  /**
   * @param timeoutMs an item that has waited longer is refused
   * @param codel decides whether the load is too high; without it, items are refused only for their waits and slots
   */
  constructor(timeoutMs: number, codel?: CoDel) {
    this.#timeoutMs = timeoutMs;
    this.#codel = codel;
  }

  get length(): number {
    return this.#places.taken;
  }

  /** @throws {OverloadError} */
  admit(item: Item): void {
    const { owner, size } = item;
    // Nobody waits: an overload that was found before is over, also if nothing has come since.
    if (this.length === 0) this.#codel?.restart();
    this.#codel?.came();
    this.#bytes.check(owner, size);
    this.#places.check(owner, 1, this.#codel?.capacity);
    this.add(item);
  }

  /** An item that was admitted before. */
  add(item: Item): void {
    const { owner, size } = item;
    const leaves = [this.#places.take(owner), this.#bytes.take(owner, size)];
    waiting++;
    const leave = () => {
      for (const leavePlace of leaves) leavePlace();
      waiting--;
    };
    const own = this.#owners.get(owner);
    if (own === undefined) this.#owners.set(owner, [{ item, leave }]);
    else own.push({ item, leave });
    this.#watch ??= setInterval(() => {
      this.look(performance.now());
      if (this.length > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    }, watchMs).unref();
  }

  /** So many items that were taken are done. */
  done(items: number, now: number): void {
    this.#codel?.done(items, now);
  }

  /**
   * One item of each owner in turn.
   *
   * @param isApart whether an owner's items have batches of their own
   */
  take(most: number, isApart: (owner: string) => boolean = () => false): Item[] {
    const taken: Item[] = [];
    for (const [owner, own] of this.#owners) {
      if (taken.length === most) break;
      if (!isApart(owner)) taken.push(...this.#takeOf(owner, own, 1));
    }
    return taken;
  }

  /** The oldest items of the first owner of this kind. */
  takeOfOneOwner(most: number, isWanted: (owner: string) => boolean = () => true): Item[] {
    for (const [owner, own] of this.#owners) if (isWanted(owner)) return this.#takeOf(owner, own, most);
    return [];
  }

  /** The owner goes to the end. */
  #takeOf(owner: string, own: Waiting<Item>[], most: number): Item[] {
    const taken = own.splice(0, most);
    this.#owners.delete(owner);
    if (own.length > 0) this.#owners.set(owner, own);
    for (const { leave } of taken) leave();
    return taken.map(({ item }) => item);
  }

  #oldest(now: number): number {
    let oldest = now;
    for (const [first] of this.#owners.values()) oldest = Math.min(oldest, first?.item.since ?? now);
    return oldest;
  }

  /** Refuses the oldest items of owners with too many, until each has half of the places that others leave free. */
  #trim(places: number): void {
    if (this.length <= places) return;
    const most = fairShare(
      [...this.#owners.values()].map(({ length }) => length),
      places,
    );
    const reason = new OverloadError('requests', `${this.length} requests are waiting`);
    this.#refuse((own) => own.splice(0, Math.max(0, own.length - most)), reason);
  }

  /** Refuses what has waited for too long, and, in a lasting overload, what is too much. */
  look(now: number): void {
    const end = now - this.#timeoutMs;
    // Those that are tried again are not in the order in which they came.
    const takeOld = (own: Waiting<Item>[]) => {
      const old = own.filter(({ item }) => item.since <= end);
      if (old.length > 0) own.splice(0, own.length, ...own.filter(({ item }) => item.since > end));
      return old;
    };
    this.#refuse(takeOld, new WaitedTooLongError(this.#timeoutMs));
    if (this.#codel === undefined || this.length === 0) return;
    this.#codel.judge(now - this.#oldest(now), this.length, now);
    this.#trim(this.#codel.capacity);
  }

  /** @param takeFrom removes what is refused from an owner's items, and returns it */
  #refuse(takeFrom: (own: Waiting<Item>[]) => Waiting<Item>[], reason: Error): void {
    const refused: Waiting<Item>[] = [];
    for (const [owner, own] of this.#owners) {
      refused.push(...takeFrom(own));
      if (own.length === 0) this.#owners.delete(owner);
    }
    for (const { leave } of refused) leave();
    void rejectAll(refused, reason);
  }
}

/** The largest number that each may keep, so that all together leave as much free (max-min fairness). */
function fairShare(lengths: readonly number[], places: number): number {
  let left = places;
  let sharing = lengths.length + 1;
  for (const length of lengths.toSorted((one, other) => one - other)) {
    if (length > left / sharing) break;
    left -= length;
    sharing--;
  }
  return Math.max(1, Math.floor(left / sharing));
}

async function rejectAll(all: readonly Waiting<Entry>[], reason: Error): Promise<void> {
  for (const [at, { item }] of all.entries()) {
    if (at % maxRefused === maxRefused - 1) await nextLoopTick();
    item.reject(reason);
  }
}
