import { type Results, ratiosOf, valuesOf } from './results.js';
import { ratios, summarize } from './statistics.js';

/** A figure of the service that has a bound, or that the guard watches, or both. */
export interface Goal {
  readonly name: string;
  readonly better: 'more' | 'less';
  readonly bound?: number;
  readonly unit?: 'ms' | 'MB';
  /** The figure in each round; empty if something that it needs was not measured. */
  values(results: Results): readonly number[];
}

const service = 'plant-store';
const million = 1_000_000;

export const goals: readonly Goal[] = [
  faster('creates', 'ceiling', 0.75),
  faster('creates', 'go', 2),
  faster('creates', 'fastify-by-hand', 2),
  faster('creates', 'fastify-glue'),
  faster('creates', 'express-validator', 5),
  faster('creates', 'pgbench', 1.3),
  faster('deletes', 'go', 2),
  faster('deletes', 'fastify-by-hand'),
  faster('page', 'go', 1.2),
  faster('page', 'fastify-by-hand'),
  slower('creates-p99', 'go', 1),
  { ...slower('list', 'copy', 2), values: (results) => ratiosOf(results, 'list', service, 'copy', million) },
  { ...slower('list', 'go'), values: (results) => ratiosOf(results, 'list', service, 'go', million) },
  {
    name: 'list-first-byte',
    better: 'less',
    bound: 20,
    unit: 'ms',
    values: (results) => valuesOf(results, 'list-first-byte', service, million),
  },
  {
    name: 'memory above idle, 10 million listed',
    better: 'less',
    bound: 48,
    unit: 'MB',
    values: (results) => valuesOf(results, 'list-by-size-memory', service, 10 * million),
  },
  {
    name: 'memory above idle, 10 million listed ÷ 1 million',
    better: 'less',
    bound: 1,
    values: (results) => bySize(results, 'list-by-size-memory', service, 10 * million, million),
  },
  {
    name: 'creates at 10 million stored ÷ at 0',
    better: 'more',
    bound: 0.8,
    values: (results) => bySize(results, 'creates-by-stored', service, 10 * million, 0),
  },
  {
    name: 'creates at 10 million stored ÷ at 0, scattered ids',
    better: 'more',
    values: (results) => bySize(results, 'creates-by-stored', 'scattered', 10 * million, 0),
  },
];

function faster(measure: string, other: string, bound?: number): Goal {
  return { ...comparison(measure, other), better: 'more', ...(bound !== undefined && { bound }) };
}

function slower(measure: string, other: string, bound?: number): Goal {
  return { ...comparison(measure, other), better: 'less', ...(bound !== undefined && { bound }) };
}

function comparison(measure: string, other: string): Pick<Goal, 'name' | 'values'> {
  return {
    name: `${measure} ÷ ${other}`,
    values: (results) => ratiosOf(results, measure, service, other),
  };
}

function bySize(results: Results, measure: string, name: string, of: number, to: number): number[] {
  return ratios(valuesOf(results, measure, name, of), valuesOf(results, measure, name, to));
}

/** Whether the median keeps the bound; undefined if there is no bound or no figure. */
export function isMet({ bound, better, values }: Goal, results: Results): boolean | undefined {
  const median = summarize(values(results))?.median;
  if (median === undefined || bound === undefined) return undefined;
  return better === 'more' ? median >= bound : median <= bound;
}
