/** A clock that stands still until a test lets time pass. */
import type { Clock } from '../../src/fairness/clock.js';

interface Timer {
  at: number;
  readonly everyMs: number | undefined;
  readonly call: () => void;
}

export class TestClock implements Clock {
  // Arrivals of requests are counted from the start of the process, too, and may lie before a test.
  #now = 1_000_000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, call: () => void): () => void {
    return this.#add({ at: this.#now + milliseconds, everyMs: undefined, call });
  }

  every(milliseconds: number, call: () => void): () => void {
    return this.#add({ at: this.#now + milliseconds, everyMs: milliseconds, call });
  }

  /** Lets time pass, and calls what is due, in its order. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = Array.from(this.#timers).sort((one, other) => one.at - other.at);
      if (next === undefined || next.at > end) break;
      this.#now = next.at;
      if (next.everyMs === undefined) this.#timers.delete(next);
      else next.at += next.everyMs;
      next.call();
    }
    this.#now = end;
  }

  #add(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
}
