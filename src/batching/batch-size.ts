/** If more wait, half is sent: PostgreSQL runs it while Node.js reads requests. */
const maxUndivided = 16;
/** Others wait for a batch, so it is small; but it grows with the milliseconds that the last one took. */
const usual = { least: 96, perMs: 12, fewest: 32 };
/** Milliseconds. If the database is slow for each item, as many go as it can do in this time. */
const longest = 150;

export class BatchSize {
  readonly #inFlight: number;
  readonly #most: number;
  /** The last batch's size: its clients will send again, so they count as waiting. */
  #before = 0;
  #limit: number;
  /** Of the database, for a batch, lately. */
  #milliseconds = 1;

  /** @param inFlight batches that run at once */
  constructor(inFlight: number, most = 1_000) {
    this.#inFlight = inFlight;
    this.#most = most;
    this.#limit = Math.min(most, usual.least);
  }

  next(waiting: number): number {
    const all = waiting + this.#before;
    const share = all > maxUndivided ? Math.ceil(all / 2) : all;
    this.#before = Math.min(share, waiting, this.#limit);
    return this.#before;
  }

  /** Milliseconds until an item behind so many others is in the next batch. */
  waitBehind(items: number): number {
    return (Math.floor(items / this.#limit) * this.#milliseconds) / this.#inFlight;
  }

  /** @param idleMs within these milliseconds, those in which Node.js only waited */
  took(milliseconds: number, idleMs: number, items: number): void {
    // A database that stops for a moment is not slow.
    const most = 4 * Math.max(1, this.#milliseconds);
    this.#milliseconds += (Math.min(idleMs, most) - this.#milliseconds) / 2;
    const growing = Math.max(usual.least, usual.perMs * Math.round(milliseconds));
    const inTime = Math.round((longest * items) / idleMs);
    this.#limit = Math.min(this.#most, growing, Math.max(usual.fewest, inTime));
  }

  /** No batch is in flight, and nobody waits. */
  idle(): void {
    this.#before = 0;
  }
}
