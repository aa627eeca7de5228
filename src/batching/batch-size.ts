/** If more items wait, half of them go: PostgreSQL runs them while Node.js reads requests for the next. */
const maxUndivided = 16;
/** Others wait for a batch, so it is small; but it grows with the milliseconds that the last one took. */
const usual = { least: 96, perMs: 12 };
/** If items are slow: as many as the database does in this time, at most so many times the last batch. */
const slow = { longestMs: 100, least: 8, growth: 16 };
/** A batch of so many items shows what an item takes; one of so few, what a batch takes without its items. */
const informative = { perItem: 32, fixed: 2 };
/** Batches at the same time, and milliseconds after which the next one no longer waits for the last one. */
const near = { inFlight: 2, turnMs: 10 };
/** From so many milliseconds for a batch on, the database has time for one batch in each of them. */
const far = { inFlight: 8, fromMs: 2 };
/** Node.js's own part of a batch's time: one to three event loop ticks, seldom longer than 20 ms each. */
const ticksMs = { least: 20, most: 60 };

/** How many items go at once, and how many batches, by what the last ones took (docs/limits.md). */
export class BatchSize {
  readonly #most: number;
  /** The clients of the last batch will send again, so they count as waiting. */
  #lastSize = 0;
  #limit = maxUndivided;
  /** The limit grows to this. */
  #goal = Number.POSITIVE_INFINITY;
  /** The database's part of a batch's time, smoothed: bounds from below and from above. */
  #leastMs = 1;
  #mostMs = 1;
  /** What a batch takes without its items, the round trip and the commit. Infinity until it is known. */
  #fixedMs = Number.POSITIVE_INFINITY;

  constructor(most = 1_000) {
    this.#most = most;
  }

  next(waiting: number): number {
    const all = waiting + this.#lastSize;
    const share = all > maxUndivided ? Math.ceil(all / 2) : all;
    this.#lastSize = Math.min(share, waiting, this.#limit);
    return this.#lastSize;
  }

  get inFlight(): number {
    return Math.min(far.inFlight, Math.max(near.inFlight, Math.ceil(this.#leastMs)));
  }

  get turnMs(): number {
    return this.#leastMs < far.fromMs ? near.turnMs : Math.min(near.turnMs, this.#leastMs / this.inFlight);
  }

  /** Milliseconds until an item with so many before it is in the next batch. */
  waitBehind(items: number): number {
    return (Math.floor(items / this.#goal) * this.#mostMs) / this.inFlight;
  }

  /** @param idleMs the part of the time in which Node.js only waited */
  learn(milliseconds: number, idleMs: number, items: number): void {
    const mostMs = Math.max(idleMs, milliseconds - ticksMs.least);
    this.#mostMs = smoothed(this.#mostMs, mostMs);
    this.#leastMs = smoothed(this.#leastMs, Math.max(idleMs, milliseconds - ticksMs.most));
    // Rises slowly, because a lone item may have waited for a lock.
    if (items <= informative.fixed) this.#fixedMs = 1.25 * Math.max(1, this.#fixedMs);
    else if (this.#fixedMs === Number.POSITIVE_INFINITY) {
      // The next batch is to show it.
      this.#limit = informative.fixed;
      return;
    }
    this.#fixedMs = Math.min(mostMs, this.#fixedMs);
    if (items < Math.min(informative.perItem, this.#limit)) return;
    const itemsMs = Math.max(0, mostMs - this.#fixedMs);
    const inTime = Math.max(slow.least, Math.round((slow.longestMs * items) / itemsMs));
    const growing = Math.max(usual.least, usual.perMs * Math.round(milliseconds));
    this.#goal = Math.min(this.#most, growing, inTime);
    this.#limit = Math.min(this.#goal, slow.growth * items);
  }

  /** A batch was rolled back, mostly because it took too long. Smaller ones follow, until one succeeds. */
  rolledBack(items: number): void {
    this.#limit = Math.min(this.#limit, Math.max(slow.least, Math.ceil(items / slow.growth)));
    this.#goal = Math.min(this.#goal, this.#limit);
  }

  /** No batch is in flight, and nobody waits. */
  idle(): void {
    this.#lastSize = 0;
  }
}

function smoothed(before: number, now: number): number {
  // A database that stops for a moment is not slow.
  const counted = Math.min(now, 4 * Math.max(1, before));
  return before + (counted - before) / 2;
}
