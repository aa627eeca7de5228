import type { Owner } from '../access/bearer.js';
import { DatabaseUnavailableError } from '../postgres/database.js';

/** How many lists of more than one page are read at the same time, by all owners and by one. */
const most = { all: 100, owner: 20 };

/** Counts those that are being read, since each holds pages in memory for as long as its reader takes. */
export class LongLists {
  readonly #owners = new Map<Owner, { lists: number }>();
  #all = 0;

  get count(): number {
    return this.#all;
  }

  /**
   * @returns what is to be called once the list is read, or is not read on
   * @throws {DatabaseUnavailableError} where there are too many
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
