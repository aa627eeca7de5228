/** Milliseconds. docs/batching.md says why these. */
const targetMs = 500;
const intervalMs = 1_000;

/**
 * Tells a lasting overload from a burst, as CoDel does (RFC 8289): if even the least wait of an interval is above the
 * target, the queue stands. One thing is added: a queue that becomes shorter is a burst that drains, and is left alone.
 * In a lasting overload, whoever has waited for longer than the interval is refused, as in "Fail at Scale" (ACM Queue
 * 13, 8); CoDel itself would drop single items until the senders slow down, which clients do not do. See
 * docs/batching.md.
 */
export class CoDel {
  #aboveSince: number | undefined;
  /** Items that came less those that were served, since then. */
  #growth = 0;

  added(): void {
    this.#growth++;
  }

  served(): void {
    this.#growth--;
  }

  restart(): void {
    this.#aboveSince = undefined;
  }

  /**
   * Asked of each item that leaves the queue.
   *
   * @param now milliseconds of performance.now()
   */
  refuses(waitMs: number, now: number): boolean {
    if (waitMs < targetMs) {
      this.#aboveSince = undefined;
      return false;
    }
    if (this.#aboveSince === undefined) {
      this.#aboveSince = now;
      this.#growth = 0;
    }
    const isLasting = now - this.#aboveSince >= intervalMs && this.#growth > 0;
    return isLasting && waitMs > intervalMs;
  }
}
