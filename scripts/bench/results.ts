import { ratios } from './statistics.js';

/** The values of one contestant in each round, at one amount of work. */
export interface Series {
  readonly name: string;
  readonly title: string;
  /** The amount of work, if the measure is about it. */
  readonly at?: number;
  readonly values: number[];
}

/** One quantity. */
export interface Measured {
  readonly name: string;
  readonly title: string;
  readonly unit: 'per second' | 'ms' | 's' | 'MB';
  readonly better: 'more' | 'less';
  /** The unit of `at`. */
  readonly axis?: string;
  readonly series: readonly Series[];
}

export interface Results {
  readonly title: string;
  /** The machine, PostgreSQL, the load: one sentence each. */
  readonly conditions: readonly string[];
  /** The contestants that could not take part, with the reasons. */
  readonly missing: readonly string[];
  readonly measured: Measured[];
}

export function valuesOf(results: Results, measure: string, name: string, at?: number): readonly number[] {
  const measured = results.measured.find((one) => one.name === measure);
  return measured?.series.find((one) => one.name === name && one.at === at)?.values ?? [];
}

/** The ratio of two contestants in each round; empty if one of them is missing. */
export function ratiosOf(results: Results, measure: string, of: string, to: string, at?: number): number[] {
  return ratios(valuesOf(results, measure, of, at), valuesOf(results, measure, to, at));
}

/** Leaves out the latencies, which mean too little in short loads. */
export function throughputsOf(results: Results): Results {
  return { ...results, measured: results.measured.filter(({ unit }) => unit === 'per second') };
}
