/** Items of owners, who take turns. An owner's items keep their order. */
export class Turns<Item> {
  readonly #owners = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Each owner's items: none is empty. */
  get owners(): ReadonlyMap<string, readonly Item[]> {
    return this.#owners;
  }

  add(owner: string, item: Item): void {
    const own = this.#owners.get(owner);
    if (own === undefined) this.#owners.set(owner, [item]);
    else own.push(item);
    this.#length++;
  }

  /** One item of each owner in turn. */
  take(most: number): Item[] {
    const items: Item[] = [];
    for (const [owner, own] of this.#owners) {
      if (items.length === most) break;
      // An owner whose turn is over goes to the end. A lone owner needs no turns.
      this.#owners.delete(owner);
      items.push(...own.splice(0, this.#owners.size === 0 ? most - items.length : 1));
      if (own.length > 0) this.#owners.set(owner, own);
    }
    this.#length -= items.length;
    return items;
  }

  /** Removes the oldest items of an owner, who must have as many. */
  drop(owner: string, count: number): Item[] {
    this.#length -= count;
    // The caller has seen the owner's items.
    const own = this.#owners.get(owner) as Item[];
    if (own.length === count) this.#owners.delete(owner);
    return own.splice(0, count);
  }
}
