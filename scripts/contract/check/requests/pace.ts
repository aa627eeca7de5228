/** Limits the requests of a second (--max-requests-per-second). */
import { setTimeout as pause } from 'node:timers/promises';

/** Spreads requests evenly: no second gets more than its share, and unused shares are not saved up. */
export class Pace {
  readonly #interval: number;
  #next = 0;

  constructor(perSecond = Number.POSITIVE_INFINITY) {
    this.#interval = 1_000 / perSecond;
  }

  /** Waits until the next request may go. */
  async turn(): Promise<void> {
    if (this.#interval === 0) return;
    const now = performance.now();
    const turn = Math.max(now, this.#next);
    this.#next = turn + this.#interval;
    if (turn > now) await pause(turn - now);
  }
}
