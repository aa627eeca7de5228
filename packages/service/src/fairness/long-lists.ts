/**
 * Limits the long lists that are read at the same time, and spreads their pages over the ticks of the event
 * loop.
 *
 * A long list is one that does not fit on its first page. It lives as long as its client reads it, and holds
 * pages in memory meanwhile. Without a limit, clients who read slowly would fill the memory, and without a
 * limit for each owner, one owner would shut out all others. So a list takes one of 100 slots before its
 * second page is read, and an owner gets half of what the others leave free (slots.ts), but at most 20.
 *
 * Work on pages takes turns, too. To read and write a page takes some milliseconds: with a page of each of 20
 * lists, a tick would take a tenth of a second. In each tick, Node.js 20 accepts one connection (libuv#3696),
 * so the last of 1,000 that are opened at once would wait for 1,000 such ticks. Therefore each page waits for
 * a tick that no other page has (`ownTick`).
 *
 * The cost is that a page waits for the ticks of all pages before it: with 20 lists, each gets one tick of
 * twenty.
 */
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import type { Owner } from '../identity/owner.js';
import { events } from '../observability/events.js';
import { OwnerSlots } from './slots.js';

/** How many long lists may be read at the same time, by all owners together and by one. */
export const maxLists = { all: 100, owner: 20 };

/** The long lists that are being read. The tables of a service share one of these. */
export class LongLists {
  readonly #slots = new OwnerSlots(maxLists, {
    all: 'lists',
    owner: 'owner lists',
    what: 'long lists',
  });

  #lastTick: Promise<void> = Promise.resolve();

  get count(): number {
    return this.#slots.taken;
  }

  /**
   * Refuses another list of an owner who reads as many as it may, before it costs a statement. An owner who
   * reads none is not refused here, because its list may turn out to be short.
   *
   * @throws {OverloadError} if the owner reads long lists already, and there is no slot for one more
   */
  refuseMore(owner: Owner): void {
    if (this.#slots.takenBy(owner) > 0) this.#slots.check(owner);
  }

  /**
   * Takes a slot.
   *
   * @returns the function that gives the slot back, to be called once
   * @throws {OverloadError} if there is no slot for this owner
   */
  enter(owner: Owner): () => void {
    const leave = this.#slots.acquire(owner);
    events.emit('longLists', this.count);
    return () => {
      leave();
      events.emit('longLists', this.count);
    };
  }

  /** @returns a promise that resolves in a tick of the event loop that no other page has */
  ownTick(): Promise<void> {
    this.#lastTick = this.#lastTick.then(() => nextLoopTick());
    return this.#lastTick;
  }
}
