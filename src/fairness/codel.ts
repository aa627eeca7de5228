/** Milliseconds. docs/batching.md says why these. */
const targetMs = 500;
const intervalMs = 500;
/** So many clients that each wait for their answer may come at once, and are a burst. */
const maxGrowth = 1_000;

/**
 * Tells a lasting overload from a burst, as CoDel does (RFC 8289): if even the least wait of an interval is above the
 * target, the queue stands, and does not drain. docs/batching.md says what is added, and why.
 */
export class CoDel {
  /** When the interval began. */
  #since: number | undefined;
  /** Items that came, and that were served, in the interval. */
  #came = 0;
  #served = 0;
  /** Items that came less those that were served, since waits are above the target. */
  #growth = 0;
  #capacity = Number.POSITIVE_INFINITY;

  /** Items that may wait: in a lasting overload, as many as were served in the last interval. */
  get capacity(): number {
    return this.#capacity;
  }

  get #isLasting(): boolean {
    return this.#capacity < Number.POSITIVE_INFINITY;
  }

  /** Also an item that is refused. */
  came(): void {
    this.#came++;
  }

  served(items: number): void {
    this.#served += items;
  }

  /** The waits so far say nothing about the load. */
  restart(): void {
    this.#since = undefined;
    this.#capacity = Number.POSITIVE_INFINITY;
  }

  /**
   * Asked whenever items leave the queue.
   *
   * @param waitMs that of the oldest item
   * @param now milliseconds of performance.now()
   */
  judge(waitMs: number, now: number): void {
    if (waitMs < targetMs && !this.#isLasting) this.#since = undefined;
    else if (this.#since === undefined) {
      this.#growth = 0;
      this.#begin(now);
    } else if (now - this.#since >= intervalMs) {
      this.#growth += this.#came - this.#served;
      const isOverload = this.#isLasting ? this.#came > this.#served : this.#growth > maxGrowth;
      const perInterval = (this.#served * intervalMs) / (now - this.#since);
      this.#capacity = isOverload ? Math.max(1, perInterval) : Number.POSITIVE_INFINITY;
      this.#begin(now);
    }
  }

  #begin(now: number): void {
    this.#since = now;
    this.#came = 0;
    this.#served = 0;
  }
}
