/**
 * Tells a lasting overload from a burst.
 *
 * A queue that takes a burst is good: the burst is done a moment later. A queue in front of a database that
 * gets more than it can do is bad: it fills up, and from then on everybody waits for as long as the queue
 * allows, although no more is done than with a short queue. The length of the queue does not tell one from
 * the other, and neither does its average wait.
 *
 * CoDel (RFC 8289) looks at the least wait of an interval instead. A burst drains, so at some moment of the
 * interval the oldest item has waited for a short time only. If it never has, the queue stands. In order:
 *
 * 1. While items wait, the queue is looked at ten times a second. An interval begins once the oldest item has
 *    waited for longer than the target, and is given up once it has not.
 * 2. The interval begins again with the first item that is done in it. So nothing is judged while a table is
 *    locked, and the time of the lock does not count as time in which little was done.
 * 3. After the interval, what waits is set against what was done in it. If that pace does it within
 *    `maxDrainMs`, it is a burst, and the next interval begins.
 * 4. If not, the overload lasts. `capacity` is what is done in the target's time: the queue refuses the
 *    oldest items beyond that, and new ones that find no slot.
 * 5. The overload is over after an interval in which no more came than were done, or when nobody waits.
 *
 * For example, 4,000 creates come each second, and the database does 400, one after the other. After 0.5 s,
 * the oldest has waited for 0.5 s. After 1.5 s, 5,400 wait, and 400 were done since: at this pace, they would
 * take 13 s. From now on 200 may wait, so nobody who is accepted waits for much longer than 0.5 s, and the
 * database still does 400 a second.
 *
 * Step 3 is ours. CoDel drops single packets, because TCP slows down then. Clients of HTTP do not slow down,
 * and a refused request costs its client more than two seconds in a queue. The price is that waits of up to
 * `maxDrainMs` are not an overload.
 */

/** How long the oldest item may wait before it is a sign of an overload. */
const targetMs = 500;
/** Slow batches end together, about once a second. A shorter interval would see some seconds without any. */
const intervalMs = 1_000;
/** A burst may take half of the 8 s that a request has. */
const maxDrainMs = 4_000;

/** The judge of one queue. The beginning of this file tells how it judges. */
export class CoDel {
  /** When the interval began, in milliseconds of the clock. */
  #since: number | undefined;
  /** Items that came in the interval, those that were refused included. */
  #came = 0;
  /** Items that were done in the interval. */
  #done = 0;
  #capacity = Number.POSITIVE_INFINITY;

  /**
   * How many items may wait: in a lasting overload, as many as are done within the target; otherwise
   * Infinity.
   */
  get capacity(): number {
    return this.#capacity;
  }

  get #isLasting(): boolean {
    return this.#capacity < Number.POSITIVE_INFINITY;
  }

  /** Counts an item that came, also if it was refused. */
  came(): void {
    this.#came++;
  }

  /**
   * Counts items that were done.
   *
   * @param items their number
   * @param now milliseconds of the clock
   */
  done(items: number, now: number): void {
    if (this.#done === 0 && this.#since !== undefined) this.#begin(now);
    this.#done += items;
  }

  /** Forgets what was seen: nobody waits, or the waits so far say nothing about the load. */
  restart(): void {
    this.#since = undefined;
    this.#capacity = Number.POSITIVE_INFINITY;
  }

  /**
   * Must be called several times in an interval while items wait.
   *
   * @param waitMs how long the oldest item has waited
   * @param waiting how many items wait
   * @param now milliseconds of the clock
   */
  judge(waitMs: number, waiting: number, now: number): void {
    if (waitMs < targetMs && !this.#isLasting) this.#since = undefined;
    else if (this.#since === undefined) this.#begin(now);
    else if (now - this.#since >= intervalMs) {
      if (this.#done > 0) this.#decide(waiting, this.#done / (now - this.#since));
      this.#begin(now);
    }
  }

  #decide(waiting: number, donePerMs: number): void {
    const isOverload = this.#isLasting ? this.#came > this.#done : waiting > donePerMs * maxDrainMs;
    this.#capacity = isOverload ? Math.max(1, donePerMs * targetMs) : Number.POSITIVE_INFINITY;
  }

  #begin(now: number): void {
    this.#since = now;
    this.#came = 0;
    this.#done = 0;
  }
}
