/** How long nobody was served. */

/** Milliseconds. */
export interface Outage {
  /** The longest time without an answer to anybody, refusals not counted. */
  readonly longest: number;
  /** From the fault's end to the first answer to a request that was sent after it; undefined if none came. */
  readonly servedAgain: number | undefined;
}

const perClient = 2;

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

  /** A fault begins. */
  watch(): void {
    this.#longest = 0;
    this.#lastServed = performance.now();
    this.#over = Number.POSITIVE_INFINITY;
    this.#servedAgain = undefined;
    this.#servedSince = 0;
  }

  /** The fault has ended. */
  lifted(): void {
    this.#over = performance.now();
  }

  /** A request was carried out, and answered. */
  served(begin: number, end: number): void {
    this.#longest = Math.max(this.#longest, end - this.#lastServed);
    this.#lastServed = end;
    if (begin < this.#over) return;
    this.#servedAgain ??= end - this.#over;
    this.#servedSince++;
  }

  /** A request was refused, or not answered: clients do not have it as before yet. */
  failed(begin: number): void {
    if (begin >= this.#over) this.#servedSince = 0;
  }

  /** Whether all is as before: each client was served about twice since the last failure. */
  get isCalm(): boolean {
    return this.#servedSince >= perClient * this.#clients;
  }

  get outage(): Outage {
    const silent = performance.now() - this.#lastServed;
    return { longest: Math.max(this.#longest, silent), servedAgain: this.#servedAgain };
  }
}
