/**
 * Tells the log of an outage. While the database is away, every request fails. The log should say once that
 * the database is lost, and once that it is back, instead of once for each request.
 */
import { LogSampler } from '../log/sampler.js';
import type { Report } from './report.js';

/** The outage is over once nothing has failed for this long: if connections are scarce, some succeed. */
const quietMs = 1_000;

/** The outages of one database. It is told of each connection and of each statement. */
export class Outage {
  readonly #report: Report;
  readonly #sampler = new LogSampler();
  /** When the outage began, in milliseconds of performance.now(); undefined if there is none. */
  #begin: number | undefined;
  #lastFailure = 0;
  #failures = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  /** An idle connection broke. PostgreSQL ends all of them at once, so not every one gets a line. */
  connectionBroke(error: unknown): void {
    if (this.#sampler.pass('broke') !== undefined) this.#report(error, 'lost a database connection');
  }

  /** No connection could be made. The first time, that is the beginning of an outage. */
  connectFailed(error: unknown): void {
    this.#lastFailure = performance.now();
    this.#failures++;
    if (this.#begin !== undefined) return;
    this.#begin = this.#lastFailure;
    this.#report(error, 'the database is lost: no connection can be made');
  }

  /** A statement succeeded, which ends an outage if no connection has failed for a second. */
  succeeded(): void {
    if (this.#begin === undefined || performance.now() - this.#lastFailure < quietMs) return;
    const seconds = ((this.#lastFailure - this.#begin) / 1_000).toFixed(1);
    this.#report(
      undefined,
      `the database is back: for ${seconds} s, ${this.#failures} statements got no connection`,
    );
    this.#begin = undefined;
    this.#failures = 0;
  }
}
