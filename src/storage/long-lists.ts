import type { Owner } from '../access/owner.js';
import { OwnerPlaces } from '../access/owner-places.js';
import { events } from '../events.js';

export const maxLists = { all: 100, owner: 20 };

/** Lists that are being read. Each holds pages in memory. */
export class LongLists {
  readonly #places = new OwnerPlaces(maxLists, {
    all: 'lists',
    owner: 'owner lists',
    what: 'long lists are being read',
  });

  get count(): number {
    return this.#places.taken;
  }

  /**
   * @returns the function that ends the list
   * @throws {OverloadError} if there are too many
   */
  enter(owner: Owner): () => void {
    const leave = this.#places.enter(owner);
    events.emit('longLists', this.count);
    return () => {
      leave();
      events.emit('longLists', this.count);
    };
  }
}
