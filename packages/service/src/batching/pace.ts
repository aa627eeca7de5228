/**
 * Tells which batches are slow, compared with others of their kind.
 *
 * No fixed time could tell, because a database may be near or far away. The average would not tell either: the slow
 * batches themselves would raise it until they count as ordinary. So the pace is a time that about a third of the
 * batches undercut: a batch that takes less lowers it by a fifth, and one that takes more raises it by a tenth. A
 * batch is slow if it takes ten times the pace, and at least 100 ms.
 *
 * For example, batches take 5 ms, and those of one owner 1 s. While at least a third of all are quick, the pace
 * stays at 5 ms, and those of 1 s are slow. If the network becomes slower and all take 120 ms, they are slow for the
 * next 10 batches. Then the pace is 12 ms, and they are ordinary.
 */

/** A batch that takes less is never slow: with the time of an ordinary request, nobody notices it. */
const minSlowMs = 100;
const slowFactor = 10;
const [lower, raise] = [0.8, 1.1];

export class Pace {
  #ms: number | undefined;

  /**
   * Counts a batch.
   *
   * @param tookMs its time
   * @returns whether it was slow
   */
  isSlow(tookMs: number): boolean {
    const pace = this.#ms ?? tookMs;
    // A pace of 0 could not be raised.
    this.#ms = Math.max(1, pace * (tookMs < pace ? lower : raise));
    return tookMs >= Math.max(minSlowMs, slowFactor * pace);
  }
}
