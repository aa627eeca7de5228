import { OverloadError } from '../errors/database.js';
import type { Owner } from './owner.js';

interface Limits {
  readonly all: number;
  /** As many as all if left out. */
  readonly owner?: number;
}

/** The reasons if all places are taken, or all that an owner may have; `what` takes them. */
interface Refusals {
  readonly all: OverloadError['reason'];
  readonly owner: OverloadError['reason'];
  readonly what: string;
}

/** An owner gets at most `owner` places, and half of those that other owners leave free. */
export class OwnerPlaces {
  readonly #limits: Limits;
  readonly #refusals: Refusals;
  readonly #owners = new Map<Owner, { taken: number }>();
  #taken = 0;

  constructor(limits: Limits, refusals: Refusals) {
    this.#limits = limits;
    this.#refusals = refusals;
  }

  get taken(): number {
    return this.#taken;
  }

  takenBy(owner: Owner): number {
    return this.#owners.get(owner)?.taken ?? 0;
  }

  /** @throws {OverloadError} if there are not so many places */
  check(owner: Owner, places = 1): void {
    const { all, owner: mostOfOwner = all } = this.#limits;
    const { what } = this.#refusals;
    const free = all - this.#taken;
    if (free < places) throw new OverloadError(this.#refusals.all, `${this.#taken} ${what}`);
    const own = this.takenBy(owner);
    if (own + places > Math.min(mostOfOwner, free)) {
      throw new OverloadError(this.#refusals.owner, `${own} ${what}, of this owner`);
    }
  }

  /**
   * @returns the function that leaves the places
   * @throws {OverloadError} if there are not so many
   */
  enter(owner: Owner, places = 1): () => void {
    this.check(owner, places);
    const known = this.#owners.get(owner);
    const own = known ?? { taken: 0 };
    own.taken += places;
    this.#taken += places;
    if (known === undefined) this.#owners.set(owner, own);
    return () => {
      own.taken -= places;
      this.#taken -= places;
      if (own.taken === 0) this.#owners.delete(owner);
    };
  }
}
