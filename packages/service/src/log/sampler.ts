const intervalMs = 1_000;

/**
 * Lets one line a second through for each kind, so that failures of every request do not fill the disk. For
 * example, in an outage with 500 requests a second, the log has one line a second, which says that 499 were
 * left out.
 */
export class LogSampler {
  /** For each kind, until when lines are left out, in milliseconds of performance.now(), and how many were. */
  readonly #kinds = new Map<string, { until: number; leftOut: number }>();

  /**
   * @param kind which lines count together, such as the reason of a failure. There must be few of them,
   * because none is forgotten
   * @returns how many lines of this kind were left out since the last one; undefined if this one is to be
   * left out
   */
  pass(kind: string): number | undefined {
    const now = performance.now();
    const last = this.#kinds.get(kind);
    if (last !== undefined && now < last.until) {
      last.leftOut++;
      return undefined;
    }
    this.#kinds.set(kind, { until: now + intervalMs, leftOut: 0 });
    return last?.leftOut ?? 0;
  }
}
