/** Limits the requests of a second (--max-requests-per-second). */
import { setTimeout as pause } from 'node:timers/promises';

/** Spreads requests evenly: no second gets more than its share, and a share that is not used is lost. */
export class Pace {
  readonly #intervalMs: number;
  /** When the next request may go, in milliseconds on the clock of `performance`. */
  #next = 0;

  constructor(perSecond = Number.POSITIVE_INFINITY) {
    this.#intervalMs = 1_000 / perSecond;
  }

  /** Waits until the next request may go. */
  async turn(): Promise<void> {
    if (this.#intervalMs === 0) return;
    const now = performance.now();
    const turn = Math.max(now, this.#next);
    this.#next = turn + this.#intervalMs;
    if (turn > now) await pause(turn - now);
  }
}
