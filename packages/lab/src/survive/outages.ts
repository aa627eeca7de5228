/**
 * Measures how long nobody was served. The load calls `served` and `failed` for each request, and the
 * injection of a fault calls `watch` and `lifted`.
 */

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

/** The number of answers that a client must have got before a fault is over for it. */
const answersPerClient = 2;

export class Outages {
  readonly #clients: number;
  #lastServed = performance.now();
  #longest = 0;
  #over = Number.POSITIVE_INFINITY;
  #servedAgain: number | undefined;
  #servedSince = 0;

  /** @param clients the number of clients at work */
  constructor(clients: number) {
    this.#clients = clients;
  }

  /** Notes that a fault begins. */
  watch(): void {
    this.#longest = 0;
    this.#lastServed = performance.now();
    this.#over = Number.POSITIVE_INFINITY;
    this.#servedAgain = undefined;
    this.#servedSince = 0;
  }

  /** Notes that the fault has ended. */
  lifted(): void {
    this.#over = performance.now();
  }

  /** Notes that a request was carried out and answered. Times are in milliseconds, by `performance.now()`. */
  served(begin: number, end: number): void {
    this.#longest = Math.max(this.#longest, end - this.#lastServed);
    this.#lastServed = end;
    if (begin < this.#over) return;
    this.#servedAgain ??= end - this.#over;
    this.#servedSince++;
  }

  /** Notes that a request was refused, or not answered. */
  failed(begin: number): void {
    if (begin >= this.#over) this.#servedSince = 0;
  }

  /** Whether all is as before: each client was served about twice since the last failure. */
  get isCalm(): boolean {
    return this.#servedSince >= answersPerClient * this.#clients;
  }

  /** The outage since `watch`. One that goes on counts as long as it has lasted. */
  get outage(): Outage {
    const silent = performance.now() - this.#lastServed;
    return { longest: Math.max(this.#longest, silent), servedAgain: this.#servedAgain };
  }
}
