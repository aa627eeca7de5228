import { OverloadError } from '../database-errors.js';

interface Most {
  readonly all: number;
  /** Of one owner; as many as all if left out. */
  readonly owner?: number;
}

/** Why there is no place, and what takes them, for the log. */
interface Full {
  readonly all: OverloadError['reason'];
  readonly owner: OverloadError['reason'];
  readonly what: string;
}

/** An owner gets at most `owner` places, and half of those that other owners leave free. */
export class Places {
  readonly #most: Most;
  readonly #full: Full;
  readonly #owners = new Map<string, { taken: number }>();
  #taken = 0;

  constructor(most: Most, full: Full) {
    this.#most = most;
    this.#full = full;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * @returns the function that leaves the place
   * @throws {OverloadError} if there is none
   */
  enter(owner: string): () => void {
    const { all, owner: most = all } = this.#most;
    const own = this.#owners.get(owner) ?? { taken: 0 };
    const free = all - this.#taken;
    if (free === 0) throw new OverloadError(this.#full.all, `${this.#taken} ${this.#full.what}`);
    if (own.taken >= Math.min(most, free)) {
      throw new OverloadError(this.#full.owner, `${own.taken} ${this.#full.what}, of this owner`);
    }
    own.taken++;
    this.#taken++;
    this.#owners.set(owner, own);
    return () => {
      own.taken--;
      this.#taken--;
      if (own.taken === 0) this.#owners.delete(owner);
    };
  }
}
