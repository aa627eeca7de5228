/**
 * Keeps what each holder has, in a Map that forgets late. A holder is whoever can have slots: an owner, or a
 * kind of statement.
 *
 * Most owners have one request at a time. A Map that forgot an owner after each request, and got a new entry
 * with the next one, would leave garbage that the quick collections of V8 never free. After a few deletes,
 * V8 gives a Map a new table, and the old table points to the new one. Once one of these tables is in the old
 * generation, it keeps all later tables alive, although nobody uses them. Six such Maps left 1 KB with each
 * request, and the slow collections that free it tripled the 99th percentile of a client that is alone
 * (docs/ablation.md).
 *
 * So a holder that has nothing stays in the Map. If a new one comes and there are `#maxKept`, all that have
 * nothing are forgotten, and `#maxKept` becomes twice the number of the others, but at least 1,000.
 *
 * For example, of 5,000 owners who come one after the other, the first 1,000 are kept until the 1,001st
 * comes, and then they are forgotten together.
 *
 * The cost: up to 1,000 holders, or half of all, are in memory without need.
 */

/** How many holders are kept at least before those that have nothing are forgotten. */
const minKept = 1_000;

/** A Map from each holder to what it has, which is made when it is first asked for. */
export class Holders<Holder, State> {
  readonly #states = new Map<Holder, State>();
  readonly #make: () => State;
  readonly #hasNothing: (state: State) => boolean;
  #maxKept = minKept;

  /**
   * @param make what a new holder has
   * @param hasNothing whether a holder may be forgotten
   */
  constructor(make: () => State, hasNothing: (state: State) => boolean) {
    this.#make = make;
    this.#hasNothing = hasNothing;
  }

  /** How many holders are kept, those that have nothing included. */
  get size(): number {
    return this.#states.size;
  }

  /** @returns undefined if the holder is new, or was forgotten */
  find(holder: Holder): State | undefined {
    return this.#states.get(holder);
  }

  /**
   * @returns what the holder has, to be changed at once, because one that has nothing may be forgotten by the
   * next call
   */
  of(holder: Holder): State {
    const known = this.#states.get(holder);
    if (known !== undefined) return known;
    if (this.#states.size >= this.#maxKept) this.#forget();
    const state = this.#make();
    this.#states.set(holder, state);
    return state;
  }

  #forget(): void {
    for (const [holder, state] of this.#states) if (this.#hasNothing(state)) this.#states.delete(holder);
    this.#maxKept = Math.max(minKept, 2 * this.#states.size);
  }
}
