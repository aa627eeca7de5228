import { OverloadError } from '../errors/database.js';
import type { Owner } from './owner.js';

interface Limits {
  readonly all: number;
  /** As many as all if left out. */
  readonly owner?: number;
}

/**
 * The one rule for what is shared: a holder gets at most half of the places that other holders leave free. So however
 * many places the others take, the next one finds some, and nobody sets a share for anybody. Of 16 places, the first
 * holder gets 8, the second 4, the third 2; of 10,000, a lone holder gets 5,000.
 */
export class Places<Holder> {
  readonly #all: number;
  readonly #mostOfOwner: number;
  readonly #holders = new Map<Holder, number>();
  #taken = 0;

  constructor({ all, owner = all }: Limits) {
    this.#all = all;
    this.#mostOfOwner = owner;
  }

  get taken(): number {
    return this.#taken;
  }

  takenBy(holder: Holder): number {
    return this.#holders.get(holder) ?? 0;
  }

  /**
   * @param all if there are fewer than usual
   * @returns who has too many, if there are not so many places for this one
   */
  lackedBy(holder: Holder, places = 1, all = this.#all): 'all' | 'owner' | undefined {
    const free = Math.min(all, this.#all) - this.#taken;
    if (free < places) return 'all';
    return this.takenBy(holder) + places > Math.min(this.#mostOfOwner, free) ? 'owner' : undefined;
  }

  /** @returns the function that leaves the places */
  take(holder: Holder, places = 1): () => void {
    this.#change(holder, places);
    return () => this.#change(holder, -places);
  }

  #change(holder: Holder, places: number): void {
    this.#taken += places;
    const held = this.takenBy(holder) + places;
    if (held === 0) this.#holders.delete(holder);
    else this.#holders.set(holder, held);
  }
}

/**
 * Places for the batches of a database, which its coalescers share: the first gets 8, the next 4, 2 and 1. If a locked
 * table holds up all of them, some of the twenty connections are left for what is not batched.
 */
export function batchPlaces(): Places<object> {
  return new Places<object>({ all: 16 });
}

/** The reasons if all places are taken, or all that an owner may have; `what` takes them. */
interface Refusals {
  readonly all: OverloadError['reason'];
  readonly owner: OverloadError['reason'];
  readonly what: string;
}

/** Places of owners, who are refused if there are too few. */
export class OwnerPlaces extends Places<Owner> {
  readonly #refusals: Refusals;

  constructor(limits: Limits, refusals: Refusals) {
    super(limits);
    this.#refusals = refusals;
  }

  /** @throws {OverloadError} if there are not so many places */
  check(owner: Owner, places = 1, all?: number): void {
    const { all: ofAll, owner: ofOwner, what } = this.#refusals;
    const lackedBy = this.lackedBy(owner, places, all);
    if (lackedBy === 'all') throw new OverloadError(ofAll, `${this.taken} ${what}`);
    // Tokens that are looked up have no owner yet.
    if (lackedBy === 'owner' && owner === '') throw new OverloadError(ofAll, `${this.taken} ${what}`);
    if (lackedBy === 'owner')
      throw new OverloadError(ofOwner, `${this.takenBy(owner)} ${what}, of this owner`);
  }

  /**
   * @returns the function that leaves the places
   * @throws {OverloadError} if there are not so many
   */
  enter(owner: Owner, places = 1): () => void {
    this.check(owner, places);
    return this.take(owner, places);
  }
}
