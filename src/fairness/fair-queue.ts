/**
 * What waits for a batch: a queue for each owner, and the owners take turns.
 *
 * In one queue in the order of arrival, an owner who sends 5,000 creates at once would make everybody wait
 * for all of them. Without a bound, the queue would grow until the memory is full, while those at its end
 * have long given up.
 *
 * The way of an item:
 *
 * 1. `admit` refuses it, or gives it one of 10,000 slots, and as many of 32 MiB as it has bytes. An owner gets
 *    half of what the others leave free (slots.ts).
 * 2. It waits behind the other items of its owner.
 * 3. `take` takes one item of each owner in turn. The next batch goes on with the owner after the last one.
 * 4. Ten times a second, `look` refuses items that have waited for too long (`waitsUntil`). It does not wait
 *    for a batch to end, because a batch can be blocked.
 * 5. In a lasting overload (codel.ts), there are fewer slots. Then `look` also refuses the oldest items of
 *    those owners who have too many, because these clients have waited for longest, and are the first to give
 *    up.
 *
 * For example, owner A has 1,000 items in the queue when B sends one. The next batch of 50 has B's item and
 * 49 of A's. In an overload with 200 slots, A keeps 99 of its items and B its one, so that 100 slots are free
 * for others.
 *
 * The cost is that an owner's first item waits for a turn of all owners, and that `look` looks at each item.
 */
import { OverloadError, WaitedTooLongError } from '../errors/overloads.js';
import type { CoDel } from './codel.js';
import { Holders } from './holders.js';
import { refuseSoon } from './refusals.js';
import { OwnerSlots } from './slots.js';

export interface Entry {
  readonly owner: string;
  /** About how many bytes of memory the item takes. */
  readonly size: number;
  /** When it was submitted, in milliseconds of performance.now(). */
  readonly since: number;
  /** When it is refused if it still waits, in milliseconds of performance.now(). */
  readonly waitsUntil: number;
  readonly reject: (reason: unknown) => void;
}

/** How many items may wait in a queue. */
const maxItems = 10_000;
/** How many bytes of memory they may take together. */
const maxBytes = 32 * 2 ** 20;
const reasons = { all: 'requests', owner: 'owner requests' } as const;
/** How often a queue in which items wait is looked at. */
const watchMs = 100;

let waiting = 0;

/** @returns how many items wait in all queues together, for metrics */
export function requestsWaiting(): number {
  return waiting;
}

export class FairQueue<Item extends Entry> {
  /** The items of each owner, in the order of their arrival. */
  readonly #owners = new Holders<string, Item[]>(
    () => [],
    ({ length }) => length === 0,
  );
  /** The items of those owners who have some, in the order of their turns. */
  #turns: Item[][] = [];
  readonly #slots = new OwnerSlots({ all: maxItems }, { ...reasons, what: 'waiting requests' });
  readonly #bytes = new OwnerSlots({ all: maxBytes }, { ...reasons, what: 'waiting bytes' });
  readonly #codel: CoDel | undefined;
  /** Runs while items wait. */
  #watch: NodeJS.Timeout | undefined;

  /** @param codel decides whether there is a lasting overload. If left out, there never is. */
  constructor(codel?: CoDel) {
    this.#codel = codel;
  }

  get length(): number {
    return this.#slots.taken;
  }

  /** Gives the item a slot, or refuses it soon (refusals.ts). */
  admit(item: Item): void {
    const { owner, size } = item;
    // Nobody waits: an overload that was found before is over, also if nothing has come since.
    if (this.length === 0) this.#codel?.restart();
    this.#codel?.came();
    const refusal = this.#bytes.refusal(owner, size) ?? this.#slots.refusal(owner, 1, this.#codel?.capacity);
    if (refusal === undefined) this.add(item);
    else refuseSoon([item], refusal);
  }

  /** Adds an item that was admitted before. */
  add(item: Item): void {
    const { owner, size } = item;
    this.#slots.take(owner);
    this.#bytes.take(owner, size);
    waiting++;
    const own = this.#owners.of(owner);
    own.push(item);
    if (own.length === 1) this.#turns.push(own);
    this.#watch ??= setInterval(() => {
      this.look(performance.now());
      if (this.length > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    }, watchMs).unref();
  }

  /**
   * Counts items that were taken, and are done.
   *
   * @param items their number
   * @param now milliseconds of performance.now()
   */
  done(items: number, now: number): void {
    this.#codel?.done(items, now);
  }

  /** Takes up to `max` items, one of each owner in turn. */
  take(max: number): Item[] {
    const taken: Item[] = [];
    while (taken.length < max) {
      const own = this.#turns.shift();
      const item = own?.shift();
      if (own === undefined || item === undefined) break;
      taken.push(item);
      if (own.length > 0) this.#turns.push(own);
    }
    this.#release(taken);
    return taken;
  }

  /**
   * Takes up to `max` of the oldest items of the owner whose turn it is, who then goes to the end of the
   * turns.
   */
  takeOfOneOwner(max: number): Item[] {
    const own = this.#turns.shift() ?? [];
    const taken = own.splice(0, max);
    if (own.length > 0) this.#turns.push(own);
    this.#release(taken);
    return taken;
  }

  /** Takes all items of this owner. */
  takeAllOf(owner: string): Item[] {
    const taken = this.#owners.find(owner)?.splice(0) ?? [];
    this.#forgetTurns();
    this.#release(taken);
    return taken;
  }

  /** Takes the turns of those owners who have no items any more. */
  #forgetTurns(): void {
    this.#turns = this.#turns.filter(({ length }) => length > 0);
  }

  #release(items: readonly Item[]): void {
    for (const { owner, size } of items) {
      this.#slots.release(owner);
      this.#bytes.release(owner, size);
    }
    waiting -= items.length;
  }

  /** @returns when the oldest item was submitted; `now` if none waits */
  #oldest(now: number): number {
    let oldest = now;
    for (const [first] of this.#turns) oldest = Math.min(oldest, first?.since ?? now);
    return oldest;
  }

  /**
   * Refuses what has waited for too long, and, in a lasting overload, what has no slot.
   *
   * @param now milliseconds of performance.now()
   */
  look(now: number): void {
    this.#refuseOld(now);
    if (this.#codel === undefined || this.length === 0) return;
    this.#codel.judge(now - this.#oldest(now), this.length, now);
    this.#trim(this.#codel.capacity);
  }

  #refuseOld(now: number): void {
    // Items that are tried again, or whose token was looked up for long, are not in this order.
    const takeOld = (own: Item[]) => {
      const old = own.filter(({ waitsUntil }) => waitsUntil <= now);
      if (old.length > 0) own.splice(0, own.length, ...own.filter(({ waitsUntil }) => waitsUntil > now));
      return old;
    };
    this.#refuse(takeOld, new WaitedTooLongError());
  }

  /** Refuses the oldest items of owners who have too many, until each has half of what others leave free. */
  #trim(capacity: number): void {
    if (this.length <= capacity) return;
    const lengths = this.#turns.map(({ length }) => length);
    const max = fairShare(lengths, capacity);
    const reason = new OverloadError('requests', `${this.length} requests are waiting`);
    this.#refuse((own) => own.splice(0, Math.max(0, own.length - max)), reason);
  }

  /** @param takeFrom removes what is refused from an owner's items, and returns it */
  #refuse(takeFrom: (own: Item[]) => Item[], reason: Error): void {
    const refused = this.#turns.flatMap(takeFrom);
    this.#forgetTurns();
    this.#release(refused);
    refuseSoon(refused, reason);
  }
}

/**
 * @param lengths how many items each owner has
 * @returns how many items each owner may keep in so many slots. Owners who have fewer keep all of theirs. The
 * others share what is left equally, and one such share stays free for owners who come later (max-min
 * fairness).
 */
function fairShare(lengths: readonly number[], slots: number): number {
  let left = slots;
  let sharing = lengths.length + 1;
  for (const length of lengths.toSorted((one, other) => one - other)) {
    if (length > left / sharing) break;
    left -= length;
    sharing--;
  }
  return Math.max(1, Math.floor(left / sharing));
}
