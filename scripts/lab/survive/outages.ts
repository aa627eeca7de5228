/** Measures how long nobody was served. */

/** Both times are in milliseconds. */
export interface Outage {
  /** The longest time in which nobody got an answer. Refusals are not answers here. */
  readonly longest: number;
  /**
   * The time from the end of the fault to the first answer to a request that was sent after it; undefined if
   * none came.
   */
  readonly servedAgain: number | undefined;
}

/** A fault is over for a client once it has got this many answers. */
const answersPerClient = 2;

export class Outages {
  readonly #clients: number;
  #lastServed = performance.now();
  #longest = 0;
  #over = Number.POSITIVE_INFINITY;
  #servedAgain: number | undefined;
  #servedSince = 0;

  constructor(clients: number) {
    this.#clients = clients;
  }

  /** Call this when a fault begins. */
  watch(): void {
    this.#longest = 0;
    this.#lastServed = performance.now();
    this.#over = Number.POSITIVE_INFINITY;
    this.#servedAgain = undefined;
    this.#servedSince = 0;
  }

  /** Call this when the fault has ended. */
  lifted(): void {
    this.#over = performance.now();
  }

  /** Call this when a request was carried out and answered. */
  served(begin: number, end: number): void {
    this.#longest = Math.max(this.#longest, end - this.#lastServed);
    this.#lastServed = end;
    if (begin < this.#over) return;
    this.#servedAgain ??= end - this.#over;
    this.#servedSince++;
  }

  /** Call this when a request was refused, or not answered. */
  failed(begin: number): void {
    if (begin >= this.#over) this.#servedSince = 0;
  }

  /** Whether all is as before: each client was served about twice since the last failure. */
  get isCalm(): boolean {
    return this.#servedSince >= answersPerClient * this.#clients;
  }

  get outage(): Outage {
    const silent = performance.now() - this.#lastServed;
    return { longest: Math.max(this.#longest, silent), servedAgain: this.#servedAgain };
  }
}
