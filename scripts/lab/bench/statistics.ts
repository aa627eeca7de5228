/** One figure out of several rounds: the median, and the middle half of them. */
export interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
}

/** @returns undefined if nothing was measured */
export function summarize(values: readonly number[]): Summary | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    rounds: sorted.length,
  };
}

/** Ratios are taken within a round, because all contestants of a round had the same machine. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.slice(0, to.length).map((value, round) => value / (to[round] ?? Number.NaN));
}

/** @returns the quantile, between two values by linear interpolation */
export function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return below + (above - below) * (place % 1);
}
