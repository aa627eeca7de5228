import { ratios } from './statistics.js';

/** What one contestant did, at one size of the work, in each round. */
export interface Series {
  readonly name: string;
  readonly title: string;
  /** How much work it was, where the measure is about that. */
  readonly at?: number;
  readonly values: number[];
}

/** One quantity. */
export interface Measured {
  readonly name: string;
  readonly title: string;
  readonly unit: 'per second' | 'ms' | 's' | 'MB';
  readonly better: 'more' | 'less';
  /** What `at` counts. */
  readonly axis?: string;
  readonly series: readonly Series[];
}

export interface Results {
  readonly title: string;
  /** The machine, PostgreSQL, the load: one sentence each. */
  readonly conditions: readonly string[];
  /** Who could not take part, and why. */
  readonly missing: readonly string[];
  readonly measured: Measured[];
}

export function valuesOf(results: Results, measure: string, name: string, at?: number): readonly number[] {
  const measured = results.measured.find((one) => one.name === measure);
  return measured?.series.find((one) => one.name === name && one.at === at)?.values ?? [];
}

/** The ratio of two contestants in each round; none where one of them is missing. */
export function ratiosOf(results: Results, measure: string, of: string, to: string, at?: number): number[] {
  return ratios(valuesOf(results, measure, of, at), valuesOf(results, measure, to, at));
}

/** Without the latencies, which say too little where a load is short. */
export function throughputsOf(results: Results): Results {
  return { ...results, measured: results.measured.filter(({ unit }) => unit === 'per second') };
}
