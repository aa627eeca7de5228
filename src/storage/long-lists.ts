import type { Owner } from '../access/owner.js';
import { OverloadError } from '../database-errors.js';
import { events } from '../events.js';

/** Lists read at once. An owner gets at most `owner`, and half of those that other owners leave free. */
export const maxLists = { all: 100, owner: 20 };

/** Each holds pages in memory. */
export class LongLists {
  readonly #owners = new Map<Owner, { lists: number }>();
  #all = 0;

  get count(): number {
    return this.#all;
  }

  /**
   * @returns the function that ends the list
   * @throws {OverloadError} if there are too many
   */
  enter(owner: Owner): () => void {
    const own = this.#owners.get(owner) ?? { lists: 0 };
    const free = maxLists.all - this.#all;
    if (free === 0) throw new OverloadError('lists', `${this.#all} long lists are being read`);
    if (own.lists >= Math.min(maxLists.owner, free)) {
      throw new OverloadError('owner lists', `${own.lists} long lists of this owner are being read`);
    }
    own.lists++;
    this.#all++;
    this.#owners.set(owner, own);
    events.emit('longLists', this.#all);
    return () => {
      own.lists--;
      this.#all--;
      events.emit('longLists', this.#all);
      if (own.lists === 0) this.#owners.delete(owner);
    };
  }
}
