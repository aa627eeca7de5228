import type { Owner } from '../access/bearer.js';
import { DatabaseUnavailableError } from '../postgres/database.js';

/** How many lists of more than one page are read at the same time, by all owners and by one. */
const most = { all: 100, owner: 20 };

/** Counts those that are being read, since each holds two pages in memory for as long as its reader takes. */
export class LongLists {
  readonly #counts = new Map<Owner, number>();
  #all = 0;

  /** @throws {DatabaseUnavailableError} where there are too many */
  enter(owner: Owner): void {
    const own = this.#counts.get(owner) ?? 0;
    if (own >= most.owner)
      throw new DatabaseUnavailableError(`${own} long lists of this owner are being read`);
    if (this.#all >= most.all) throw new DatabaseUnavailableError(`${this.#all} long lists are being read`);
    this.#counts.set(owner, own + 1);
    this.#all++;
  }

  leave(owner: Owner): void {
    const others = (this.#counts.get(owner) ?? 0) - 1;
    if (others > 0) this.#counts.set(owner, others);
    else this.#counts.delete(owner);
    this.#all--;
  }
}
