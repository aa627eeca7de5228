import type { Owner } from '../access/bearer.js';
import { DatabaseUnavailableError } from '../postgres/database.js';

/** How many lists of more than one page are read at the same time, by all owners and by one. */
const most = { all: 100, owner: 20 };

/** Counts the lists that are being read: each holds pages in memory for as long as its reader takes. */
export class LongLists {
  readonly #owners = new Map<Owner, { lists: number }>();
  #all = 0;

  get count(): number {
    return this.#all;
  }

  /**
   * @returns what the caller calls at the end of the list, read or not
   * @throws {DatabaseUnavailableError} if there are too many
   */
  enter(owner: Owner): () => void {
    const own = this.#owners.get(owner) ?? { lists: 0 };
    if (own.lists >= most.owner) {
      throw new DatabaseUnavailableError(`${own.lists} long lists of this owner are being read`);
    }
    if (this.#all >= most.all) throw new DatabaseUnavailableError(`${this.#all} long lists are being read`);
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
