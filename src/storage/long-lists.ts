import type { Owner } from '../access/bearer.js';
import { DatabaseUnavailableError } from '../postgres/database.js';

/** How many lists of more than one page may be read at the same time, by all owners and by one. */
const maxLists = { all: 100, owner: 20 };

/**
 * Counts the lists that are being read, because each holds pages in memory for as long as its reader takes.
 */
export class LongLists {
  readonly #owners = new Map<Owner, { lists: number }>();
  #all = 0;

  get count(): number {
    return this.#all;
  }

  /**
   * @returns the function to call at the end of the list, whether all of it was read or not
   * @throws {DatabaseUnavailableError} if too many lists are being read
   */
  enter(owner: Owner): () => void {
    const own = this.#owners.get(owner) ?? { lists: 0 };
    if (own.lists >= maxLists.owner) {
      throw new DatabaseUnavailableError(`${own.lists} long lists of this owner are being read`);
    }
    if (this.#all >= maxLists.all)
      throw new DatabaseUnavailableError(`${this.#all} long lists are being read`);
    own.lists++;
    this.#all++;
    this.#owners.set(owner, own);
    return () => {
      own.lists--;
      this.#all--;
      if (own.lists === 0) this.#owners.delete(owner);
    };
  }
}
