import { ratios } from './statistics.js';

/** The values of one contestant in each round, at one amount of work. */
export interface Series {
  readonly name: string;
  readonly title: string;
  /** The amount of work, if the measure is about it. */
  readonly at?: number;
  readonly values: number[];
  /** The rounds, from 0, in which other programs took the machine's time. */
  readonly disturbed?: readonly number[];
}

/** One quantity, measured for several contestants. */
export interface Measured {
  readonly name: string;
  readonly title: string;
  readonly unit: 'per second' | 'ms' | 'µs' | 's' | 'MB' | '%' | 'kills' | 'lists';
  readonly better: 'more' | 'less';
  /** The unit of `at`. */
  readonly axis?: string;
  readonly series: readonly Series[];
}

export interface Results {
  readonly title: string;
  /** The machine and PostgreSQL: one sentence each. */
  readonly conditions: readonly string[];
  /** How each measure was taken. */
  readonly runs: Readonly<Record<string, string>>;
  /** The contestants that could not take part, with the reasons. */
  readonly missing: readonly string[];
  readonly measured: readonly Measured[];
}

type Figures = Pick<Results, 'measured'>;

export function valuesOf(
  { measured: all }: Figures,
  measure: string,
  name: string,
  at?: number,
): readonly number[] {
  const measured = all.find((one) => one.name === measure);
  return measured?.series.find((one) => one.name === name && one.at === at)?.values ?? [];
}

/** @returns the ratio of two contestants in each round; an empty list if one of them is missing */
export function ratiosOf(results: Figures, measure: string, of: string, to: string, at?: number): number[] {
  return ratios(valuesOf(results, measure, of, at), valuesOf(results, measure, to, at));
}

/** Puts several results together. */
export function joined(title: string, all: readonly Results[]): Results {
  const unique = (pick: (results: Results) => readonly string[]) => [...new Set(all.flatMap(pick))];
  return {
    title,
    conditions: unique(({ conditions }) => conditions),
    runs: Object.assign({}, ...all.map(({ runs }) => runs)),
    missing: unique(({ missing }) => missing),
    measured: all.flatMap(({ measured }) => measured),
  };
}
