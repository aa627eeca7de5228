/** If more wait, half is sent: PostgreSQL runs it while Node.js reads requests. */
const maxUndivided = 16;
/** Others wait for a batch, so it is small; but it grows with the milliseconds that the last one took. */
const usual = { least: 96, perMs: 12 };

export class BatchSize {
  readonly #most: number;
  /** The last batch's size: its clients will send again, so they count as waiting. */
  #before = 0;
  #tookMs = 0;

  constructor(most = 1_000) {
    this.#most = most;
  }

  next(waiting: number): number {
    const all = waiting + this.#before;
    const share = all > maxUndivided ? Math.ceil(all / 2) : all;
    this.#before = Math.min(share, waiting, this.#most, Math.max(usual.least, usual.perMs * this.#tookMs));
    return this.#before;
  }

  took(milliseconds: number): void {
    this.#tookMs = Math.round(milliseconds);
  }

  /** No batch is in flight, and nobody waits. */
  idle(): void {
    this.#before = 0;
  }
}
