import { setImmediate as nextLoopTick } from 'node:timers/promises';
import { events } from '../observability/events.js';
import type { Owner } from './owner.js';
import { OwnerSlots } from './slots.js';

export const maxLists = { all: 100, owner: 20 };

/** Lists that are being read. Each holds pages in memory. */
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
   * Refuses another list of an owner who reads as many as it may, before it costs a statement.
   *
   * @throws {OverloadError}
   */
  refuseMore(owner: Owner): void {
    if (this.#slots.takenBy(owner) > 0) this.#slots.check(owner);
  }

  /**
   * @returns the function that ends the list
   * @throws {OverloadError} if there are too many
   */
  enter(owner: Owner): () => void {
    const leave = this.#slots.acquire(owner);
    events.emit('longLists', this.count);
    return () => {
      leave();
      events.emit('longLists', this.count);
    };
  }

  /**
   * Ends in a tick of the event loop that no other page has. To read and write a page takes some
   * milliseconds: with a page of each of 20 lists, a tick would take a tenth of a second. In each tick,
   * Node.js 20 accepts one connection (libuv#3696), so the last of 1,000 that are opened at once would wait
   * for 1,000 such ticks.
   */
  ownTick(): Promise<void> {
    this.#lastTick = this.#lastTick.then(() => nextLoopTick());
    return this.#lastTick;
  }
}
