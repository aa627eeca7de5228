import { service } from './contestants.js';
import { type Results, ratiosOf, valuesOf } from './results.js';
import { summarize } from './statistics.js';

/** A figure of the service that has a bound. */
export interface Goal {
  readonly name: string;
  readonly better: 'more' | 'less';
  readonly bound: number;
  readonly unit?: 'ms' | 'MB';
  /** The figure in each round; empty if something that it needs was not measured. */
  values(results: Results): readonly number[];
}

/**
 * The ratio to another contestant in the same round is to be the bound or more.
 *
 * @param at the number of connections
 */
export function atLeast(bound: number, measure: string, other: string, at?: number): Goal {
  return { ...ratio(measure, other, at), better: 'more', bound };
}

/** The ratio to another contestant in the same round is to be the bound or less. */
export function atMost(bound: number, measure: string, other: string, at?: number): Goal {
  return { ...ratio(measure, other, at), better: 'less', bound };
}

function ratio(measure: string, other: string, at?: number): Pick<Goal, 'name' | 'values'> {
  return {
    name: `${measure}${at === undefined ? '' : ` with ${at}`} ÷ ${other}`,
    values: (results) => ratiosOf(results, measure, service.name, other, at),
  };
}

/** The service's own figure is to be the bound or less. */
export function figureAtMost(
  bound: number,
  unit: 'ms' | 'MB',
  name: string,
  measure: string,
  at?: number,
): Goal {
  return {
    ...{ name, better: 'less', bound, unit },
    values: (results) => valuesOf(results, measure, service.name, at),
  };
}

/**
 * @returns by which share of the bound the median is better than the bound: negative if it is worse;
 * undefined if the figure was not measured
 */
export function marginOf({ bound, better, values }: Goal, results: Results): number | undefined {
  const median = summarize(values(results))?.median;
  if (median === undefined) return undefined;
  const above = median / bound - 1;
  return better === 'more' ? above : -above;
}
