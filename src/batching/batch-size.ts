/** If more wait, half is sent: PostgreSQL runs it while Node.js reads requests. */
const maxUndivided = 16;
/** Others wait for a batch, so it is small; but it grows with the milliseconds that the last one took. */
const usual = { least: 96, perMs: 12 };
/** A smaller one does not tell how long the database needs for each item; one so small tells how far away it is. */
const telling = { items: 32, distance: 2 };
/** If it is slow for each item, as many go as it can do in this time; but some, and not many times the last ones. */
const slow = { longestMs: 100, least: 8, growth: 16 };
/** Batches at the same time, and milliseconds until the next one goes at the latest. */
const near = { inFlight: 2, turnMs: 10 };
/** If Node.js waits so long for a batch, the database has time for more: one for each millisecond. */
const far = { inFlight: 8, fromMs: 2 };
/** Of a batch's time, one to three turns of the event loop, seldom of more than 20 ms; the rest is the database's. */
const turnsMs = { least: 20, most: 60 };

/** How many items go at once, and how many batches, by what the last ones took. */
export class BatchSize {
  readonly #most: number;
  /** The last batch's size: its clients will send again, so they count as waiting. */
  #before = 0;
  #limit = maxUndivided;
  /** What the limit grows to. */
  #goal = Number.POSITIVE_INFINITY;
  /** Of the database, for a batch, lately: between these. */
  #leastMs = 1;
  #mostMs = 1;
  /** What no item adds to: the way there and back, and the commit. */
  #distanceMs = Number.POSITIVE_INFINITY;

  constructor(most = 1_000) {
    this.#most = most;
  }

  next(waiting: number): number {
    const all = waiting + this.#before;
    const share = all > maxUndivided ? Math.ceil(all / 2) : all;
    this.#before = Math.min(share, waiting, this.#limit);
    return this.#before;
  }

  get inFlight(): number {
    return Math.min(far.inFlight, Math.max(near.inFlight, Math.ceil(this.#leastMs)));
  }

  get turnMs(): number {
    return this.#leastMs < far.fromMs ? near.turnMs : Math.min(near.turnMs, this.#leastMs / this.inFlight);
  }

  /** Milliseconds until an item behind so many others is in the next batch. */
  waitBehind(items: number): number {
    return (Math.floor(items / this.#goal) * this.#mostMs) / this.inFlight;
  }

  /** @param idleMs within these milliseconds, those in which Node.js only waited */
  took(milliseconds: number, idleMs: number, items: number): void {
    const mostMs = Math.max(idleMs, milliseconds - turnsMs.least);
    this.#mostMs = lately(this.#mostMs, mostMs);
    this.#leastMs = lately(this.#leastMs, Math.max(idleMs, milliseconds - turnsMs.most));
    // It rises slowly, since an item may have waited for a lock.
    if (items <= telling.distance) this.#distanceMs = 1.25 * Math.max(1, this.#distanceMs);
    else if (this.#distanceMs === Number.POSITIVE_INFINITY) {
      // The next one shall tell.
      this.#limit = telling.distance;
      return;
    }
    this.#distanceMs = Math.min(mostMs, this.#distanceMs);
    if (items < Math.min(telling.items, this.#limit)) return;
    const itemsMs = Math.max(0, mostMs - this.#distanceMs);
    const inTime = Math.max(slow.least, Math.round((slow.longestMs * items) / itemsMs));
    const growing = Math.max(usual.least, usual.perMs * Math.round(milliseconds));
    this.#goal = Math.min(this.#most, growing, inTime);
    this.#limit = Math.min(this.#goal, slow.growth * items);
  }

  /** No batch is in flight, and nobody waits. */
  idle(): void {
    this.#before = 0;
  }
}

function lately(before: number, now: number): number {
  // A database that stops for a moment is not slow.
  const counted = Math.min(now, 4 * Math.max(1, before));
  return before + (counted - before) / 2;
}
