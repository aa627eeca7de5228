/** If more wait, half is sent: PostgreSQL runs it while Node.js reads requests. */
const maxUndivided = 16;
/** Others wait for a batch, so it is small; but it grows with the milliseconds that the last one took. */
const usual = { least: 96, perMs: 12 };
/** A smaller one does not tell whether the database is far away, or slow for each item. */
const telling = 32;
/** If it is slow for each item, as many go as it can do in this time, but some. */
const slow = { longestMs: 250, least: 8 };
/** Batches at the same time, and milliseconds until the next one goes at the latest. */
const near = { inFlight: 2, turnMs: 10 };
/** If Node.js waits so long for a batch, the database has time for more: one for each millisecond. */
const far = { inFlight: 8, fromMs: 2 };

/** How many items go at once, and how many batches, by what the last ones took. */
export class BatchSize {
  readonly #most: number;
  /** The last batch's size: its clients will send again, so they count as waiting. */
  #before = 0;
  #limit: number;
  /** Of the database, for a batch, lately. */
  #milliseconds = 1;
  /** How many the database can do in time: unknown before a batch that tells. */
  #inTime = Number.POSITIVE_INFINITY;

  constructor(most = 1_000) {
    this.#most = most;
    this.#limit = Math.min(most, telling);
  }

  next(waiting: number): number {
    const all = waiting + this.#before;
    const share = all > maxUndivided ? Math.ceil(all / 2) : all;
    this.#before = Math.min(share, waiting, this.#limit);
    return this.#before;
  }

  get inFlight(): number {
    return Math.min(far.inFlight, Math.max(near.inFlight, Math.ceil(this.#milliseconds)));
  }

  get turnMs(): number {
    return this.#milliseconds < far.fromMs
      ? near.turnMs
      : Math.min(near.turnMs, this.#milliseconds / this.inFlight);
  }

  /** Milliseconds until an item behind so many others is in the next batch. */
  waitBehind(items: number): number {
    if (this.#inTime === Number.POSITIVE_INFINITY) return 0;
    return (Math.floor(items / this.#limit) * this.#milliseconds) / this.inFlight;
  }

  /** @param idleMs within these milliseconds, those in which Node.js only waited */
  took(milliseconds: number, idleMs: number, items: number): void {
    // A database that stops for a moment is not slow.
    const waitedMs = Math.min(idleMs, 4 * Math.max(1, this.#milliseconds));
    this.#milliseconds += (waitedMs - this.#milliseconds) / 2;
    if (items < Math.min(telling, this.#limit)) return;
    this.#inTime = Math.round((slow.longestMs * items) / idleMs);
    const growing = Math.max(usual.least, usual.perMs * Math.round(milliseconds));
    this.#limit = Math.min(this.#most, growing, Math.max(slow.least, this.#inTime));
  }

  /** No batch is in flight, and nobody waits. */
  idle(): void {
    this.#before = 0;
  }
}
