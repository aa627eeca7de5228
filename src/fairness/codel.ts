/**
 * Tells a lasting overload from a burst.
 *
 * If more requests come than the database can do, a queue that is bounded only by its length fills up and
 * stays full: every request waits for seconds, the database does work whose client has left, and nobody is
 * served well. A short queue would prevent that, and would also refuse bursts which the database would have
 * done within a second. So the length of a queue does not say whether there is an overload. The time in the
 * queue does (CoDel, RFC 8289):
 *
 * 1. Each time that a batch begins, the oldest request in the queue is looked at. If it has waited for longer
 *    than the target of 500 ms, an interval of 500 ms begins. One wait below the target, and it begins anew.
 * 2. If the waits stay above the target for the whole interval, CoDel calls the queue standing. A burst that
 *    drains looks the same, so a second condition is added: more than 1,000 requests must have come than were
 *    served, since the waits are above the target. Clients who wait for their answers can make a queue grow
 *    only by as many as they are, so a thousand of them are no overload, either.
 * 3. In an overload, the queue has as many slots as requests were served in the last interval, and the others
 *    are refused. CoDel drops single packets instead, ever faster, because TCP slows down then. Clients of
 *    HTTP do not.
 * 4. Each further interval is judged, too. The overload is over if no more requests came than were served, or
 *    as soon as nobody waits.
 *
 * For example, 4,000 requests come in a second, and the database does 400. After 0.5 s the waits are above
 * the target. In the next 0.5 s 2,000 come and 200 are served: the queue has grown by 1,800, and from now on
 * it has 200 slots. So nobody waits for much longer than 0.5 s, and the database has as much to do as it can.
 *
 * While the database stands still, no batch begins, so nothing is judged. The cost of all this is that an
 * overload is known after a second only, until when all requests are admitted, and 3,400 of them are refused
 * then.
 */

const targetMs = 500;
const intervalMs = 500;
const maxGrowth = 1_000;

export class CoDel {
  /** When the interval began, in milliseconds of performance.now(). */
  #since: number | undefined;
  /** Requests that came in the interval, and that were served in it. */
  #came = 0;
  #served = 0;
  /** How many more came than were served, since the waits are above the target. */
  #growth = 0;
  #capacity = Number.POSITIVE_INFINITY;

  /** How many requests may wait. */
  get capacity(): number {
    return this.#capacity;
  }

  get #isLasting(): boolean {
    return this.#capacity < Number.POSITIVE_INFINITY;
  }

  /** Counts a request, also one that is refused. */
  came(): void {
    this.#came++;
  }

  served(requests: number): void {
    this.#served += requests;
  }

  /** Nobody waits: an overload that was found before is over, also if nothing has come since. */
  restart(): void {
    this.#since = undefined;
    this.#capacity = Number.POSITIVE_INFINITY;
  }

  /**
   * @param waitMs that of the oldest request
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
