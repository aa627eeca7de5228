/**
 * What waits for a batch: a queue for each owner, and the owners take turns.
 *
 * In one queue in the order of arrival, an owner who sends 5,000 creates at once would make everybody wait
 * for all of them. In a lasting overload, the queue would grow for as long as anybody sends, while those at
 * its end have long given up.
 *
 * The way of an item:
 *
 * 1. `admit` adds it. Its request is in flight, so its owner has room for it (requests-in-flight.ts): a handler
 *    waits for one item after the other.
 * 2. It waits behind the other items of its owner.
 * 3. `take` takes one item of each owner in turn. The next batch goes on with the owner after the last one.
 * 4. Ten times a second, `look` refuses items that have waited for too long (`waitsUntil`). It does not wait
 *    for a batch to end, because a batch can be blocked.
 * 5. In a lasting overload (codel.ts), the queue has slots: `admit` gives an owner half of what the others
 *    leave free (slots.ts), and refuses the rest. `look` refuses the oldest items of those owners who have too
 *    many, because these clients have waited for longest, and are the first to give up.
 *
 * For example, owner A has 1,000 items in the queue when B sends one. The next batch of 50 has B's item and
 * 49 of A's. In an overload with 200 slots, A keeps 99 of its items and B its one, so that 100 slots are free
 * for others.
 *
 * The cost is that an owner's first item waits for a turn of all owners, and that `look` looks at each item.
 */
import { OverloadError, WaitedTooLongError } from '../errors/overloads.js';
import { type Clock, processClock } from './clock.js';
import type { CoDel } from './codel.js';
import { Holders } from './holders.js';
import { refuseSoon } from './refusals.js';
import { exceededBy, sharedError } from './slots.js';

export interface Entry {
  readonly owner: string;
  /** When it was submitted, in milliseconds of the clock. */
  readonly since: number;
  /** When it is refused if it still waits, in milliseconds of the clock. */
  readonly waitsUntil: number;
  readonly reject: (reason: unknown) => void;
}

/** How often a queue in which items wait is looked at. */
const watchMs = 100;

/** Why an item is refused in a lasting overload. */
const refusals = {
  all: sharedError('requests', 'too many requests wait for longer than the database takes'),
  owner: sharedError('owner requests', 'too many requests of this owner wait in an overload'),
};

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
  #length = 0;
  readonly #codel: CoDel | undefined;
  readonly #clock: Clock;
  /** Ends the looks at what waits. They go on while items wait. */
  #endWatch: (() => void) | undefined;

  /** @param codel decides whether there is a lasting overload. If left out, there never is. */
  constructor(codel?: CoDel, clock = processClock) {
    this.#codel = codel;
    this.#clock = clock;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds the item. In a lasting overload, it is refused soon (refusals.ts) if its owner has no slot for it. */
  admit(item: Item): void {
    // Nobody waits: an overload that was found before is over, also if nothing has come since.
    if (this.length === 0) this.#codel?.restart();
    this.#codel?.came();
    const free = (this.#codel?.capacity ?? Number.POSITIVE_INFINITY) - this.#length;
    const own = this.#owners.find(item.owner)?.length ?? 0;
    const exceeded = exceededBy(1, own, free);
    if (exceeded === undefined) this.add(item);
    else refuseSoon([item], refusals[item.owner === '' ? 'all' : exceeded]);
  }

  /** Adds an item that was admitted before. */
  add(item: Item): void {
    this.#length++;
    waiting++;
    const own = this.#owners.of(item.owner);
    own.push(item);
    if (own.length === 1) this.#turns.push(own);
    this.#endWatch ??= this.#clock.every(watchMs, () => {
      this.look(this.#clock.now());
      if (this.length > 0) return;
      this.#endWatch?.();
      this.#endWatch = undefined;
    });
  }

  /**
   * Counts items that were taken, and are done.
   *
   * @param items their number
   * @param now milliseconds of the clock
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
    this.#left(taken.length);
    return taken;
  }

  /**
   * Takes up to `max` of the oldest items of the owner whose turn it is, who then goes to the end of the
   * turns.
   *
   * @param busy owners whose turn it is not
   * @returns no items if there are only those of busy owners
   */
  takeOfOneOwner(max: number, busy: ReadonlySet<string> = new Set()): Item[] {
    const at = this.#turns.findIndex(([first]) => first !== undefined && !busy.has(first.owner));
    const [own = []] = at < 0 ? [] : this.#turns.splice(at, 1);
    const taken = own.splice(0, max);
    if (own.length > 0) this.#turns.push(own);
    this.#left(taken.length);
    return taken;
  }

  /** Takes all items of this owner. */
  takeAllOf(owner: string): Item[] {
    const taken = this.#owners.find(owner)?.splice(0) ?? [];
    this.#forgetTurns();
    this.#left(taken.length);
    return taken;
  }

  /** Takes the turns of those owners who have no items any more. */
  #forgetTurns(): void {
    this.#turns = this.#turns.filter(({ length }) => length > 0);
  }

  /** Counts items that do not wait any more. */
  #left(items: number): void {
    this.#length -= items;
    waiting -= items;
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
   * @param now milliseconds of the clock
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
    this.#left(refused.length);
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
