import { setImmediate as nextLoopTick } from 'node:timers/promises';
import { OverloadError, WaitedTooLongError } from '../errors/database.js';
import { CoDel } from './codel.js';

export interface Entry {
  readonly owner: string;
  /** Milliseconds of performance.now(). */
  readonly since: number;
  readonly reject: (error: unknown) => void;
}

/** In the order in which they came. */
interface OwnQueue<Item> {
  items: Item[];
  readonly codel: CoDel;
}

/** Items that are refused in one event loop tick: each answer takes time. */
const maxRefused = 500;
/** Batches that are stuck end late, and only then would others leave the queue. */
const watchMs = 100;

let waiting = 0;

/** In all queues, for metrics. */
export function requestsWaiting(): number {
  return waiting;
}

/**
 * Items that wait, in a queue of each owner. The owners take turns, and CoDel judges each queue for itself, as in
 * FQ-CoDel (RFC 8290): an owner who sends too much waits longer, and is refused, but the others are not. See
 * docs/batching.md.
 */
export class FairQueue<Item extends Entry> {
  /** None is empty. */
  readonly #owners = new Map<string, OwnQueue<Item>>();
  readonly #timeoutMs: number;
  #length = 0;
  /** While items wait. */
  #watch: NodeJS.Timeout | undefined;

  /** @param timeoutMs an item that has waited longer is refused */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  get length(): number {
    return this.#length;
  }

  add(item: Item): void {
    const own = this.#owners.get(item.owner) ?? { items: [], codel: new CoDel() };
    own.items.push(item);
    own.codel.added();
    this.#owners.set(item.owner, own);
    this.#count(1);
    this.#watch ??= setTimeout(() => this.#refuseOld(), watchMs).unref();
  }

  /**
   * One item of each owner in turn.
   *
   * @param isStalled whether the database did not do the last batch: then waits say nothing about the load
   * @param now milliseconds of performance.now()
   */
  take(most: number, isStalled = false, now = performance.now()): Item[] {
    const taken: Item[] = [];
    for (const [owner, own] of this.#owners) {
      if (taken.length === most) break;
      const item = this.#next(own, now, isStalled);
      if (item !== undefined) taken.push(item);
      this.#endTurn(owner, own);
    }
    return taken;
  }

  /** The oldest items of the owner whose turn it is. */
  takeOfOneOwner(most: number): Item[] {
    for (const [owner, own] of this.#owners) {
      const taken = own.items.splice(0, most);
      this.#count(-taken.length);
      this.#endTurn(owner, own);
      return taken;
    }
    return [];
  }

  /** Refuses the owner's items that CoDel refuses, and takes the one after them. */
  #next({ items, codel }: OwnQueue<Item>, now: number, isStalled: boolean): Item | undefined {
    if (isStalled) codel.restart();
    const refused: Item[] = [];
    let item = items.shift();
    while (item !== undefined && !isStalled && codel.refuses(now - item.since, now)) {
      refused.push(item);
      item = items.shift();
    }
    const [first] = refused;
    if (first !== undefined) {
      const isMost = 2 * (items.length + refused.length) > this.#length;
      // Tokens that are looked up have no owner yet.
      const reason = isMost && first.owner !== '' ? 'owner requests' : 'requests';
      this.#refuse(refused, new OverloadError(reason, 'requests have waited for too long, for a while now'));
    }
    if (item === undefined) return undefined;
    codel.served();
    this.#count(-1);
    return item;
  }

  /** The owner goes to the end. */
  #endTurn(owner: string, own: OwnQueue<Item>): void {
    this.#owners.delete(owner);
    if (own.items.length > 0) this.#owners.set(owner, own);
  }

  #refuseOld(): void {
    const end = performance.now() - this.#timeoutMs;
    for (const [owner, own] of this.#owners) {
      const old = own.items.filter(({ since }) => since <= end);
      if (old.length === 0) continue;
      own.items = own.items.filter(({ since }) => since > end);
      if (own.items.length === 0) this.#owners.delete(owner);
      this.#refuse(old, new WaitedTooLongError(this.#timeoutMs));
    }
    this.#watch = this.#length > 0 ? setTimeout(() => this.#refuseOld(), watchMs).unref() : undefined;
  }

  #refuse(items: readonly Item[], reason: Error): void {
    this.#count(-items.length);
    void rejectAll(items, reason);
  }

  #count(items: number): void {
    this.#length += items;
    waiting += items;
  }
}

async function rejectAll(items: readonly Entry[], reason: Error): Promise<void> {
  for (const [at, { reject }] of items.entries()) {
    if (at % maxRefused === maxRefused - 1) await nextLoopTick();
    reject(reason);
  }
}
