import { peers, service } from './contestants.js';
import { type Results, ratiosOf, valuesOf } from './results.js';
import { ratios, summarize } from './statistics.js';

/** A figure of the service, with or without a bound. */
export interface Goal {
  readonly name: string;
  readonly better: 'more' | 'less';
  readonly bound?: number;
  readonly unit?: 'ms' | 'MB' | '%';
  /** Goals of one table are shown together. */
  readonly place?: { readonly table: string; readonly column: string; readonly at: number };
  /** The figure in each round; empty if something that it needs was not measured. */
  values(results: Results): readonly number[];
}

export function faster(measure: string, other: string, bound?: number): Goal {
  return { ...comparison(measure, other), better: 'more', ...(bound !== undefined && { bound }) };
}

export function slower(measure: string, other: string, bound?: number, at?: number): Goal {
  return { ...comparison(measure, other, at), better: 'less', ...(bound !== undefined && { bound }) };
}

function comparison(measure: string, other: string, at?: number): Pick<Goal, 'name' | 'values'> {
  return {
    name: `${measure}${at === undefined ? '' : ` with ${at}`} ÷ ${other}`,
    values: (results) => ratiosOf(results, measure, service.name, other, at),
  };
}

/** Beside the peer whose median is the better one, with so many connections. */
export function besideBetterPeer(
  measure: string,
  at: number,
  { better, bound }: Pick<Goal, 'better' | 'bound'>,
  place: { readonly table: string; readonly column: string },
): Goal {
  return {
    name: `${measure} with ${at} ÷ the better peer`,
    better,
    ...(bound !== undefined && { bound }),
    place: { ...place, at },
    values(results) {
      const [best] = peers
        .flatMap((name) => ({ name, median: summarize(valuesOf(results, measure, name, at))?.median }))
        .sort((a, b) => {
          // Without the figures of one peer, nobody knows whether it would be the better one.
          if (a.median === undefined) return -1;
          if (b.median === undefined) return 1;
          return better === 'more' ? b.median - a.median : a.median - b.median;
        });
      return best === undefined ? [] : ratiosOf(results, measure, service.name, best.name, at);
    },
  };
}

/** The service itself, at one amount of work beside another. */
export function bySize(results: Results, measure: string, name: string, of: number, to: number): number[] {
  return ratios(valuesOf(results, measure, name, of), valuesOf(results, measure, name, to));
}

/**
 * By which share of the bound its median is better, or worse if negative; undefined if one of them is
 * unknown.
 */
export function marginOf({ bound, better, values }: Goal, results: Results): number | undefined {
  const median = summarize(values(results))?.median;
  if (median === undefined || bound === undefined) return undefined;
  const above = median / bound - 1;
  return better === 'more' ? above : -above;
}
