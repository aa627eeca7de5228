/**
 * Every ratio and figure that a page quotes, what it is to reach, and what it has reached. A goal is met or
 * being worked on. If one is given up, docs/benchmarks.md says why, and the figure must still not fall.
 *
 * The guard compares with what was reached: change that number with the code that moves it, and say in the
 * commit how it was measured.
 */
import { byHand, service } from './contestants.js';
import { copy } from './lists.js';

export interface Goal {
  /** The name of what is measured, such as `creates`. */
  readonly measure: string;
  /** The amount of work, such as the number of connections. */
  readonly at: number;
  /** The contestant whose figure it is. */
  readonly of: string;
  /**
   * The contestant by whose figure that of the first one is divided; undefined if the figure itself counts.
   */
  readonly to?: string;
  readonly better: 'more' | 'less';
  /** Undefined if it is given up. */
  readonly goal: number | undefined;
  /** What recorded runs have reached, the worst of them. A later run that is worse does not lower it. */
  readonly reached: number;
}

type Row = readonly [at: number, goal: number | undefined, reached: number];

/** Makes goals for ratios of the service's figure to another contestant's. */
function ratios(better: Goal['better'], measure: string, to: string, ...rows: readonly Row[]): Goal[] {
  return rows.map(([at, goal, reached]) => ({ measure, at, of: service.name, to, better, goal, reached }));
}

/** Makes a goal for a figure of the service. */
function atMost(measure: string, [at, goal, reached]: Row): Goal {
  return { measure, at, of: service.name, better: 'less', goal, reached };
}

const million = 1_000_000;
const givenUp = undefined;

// biome-ignore format: one row for each number of connections
export const goals: readonly Goal[] = [
  ...ratios('more', 'creates', byHand,
    [1, 0.95, 0.9], [4, 0.95, 0.9], [16, 1.3, 1.5], [64, 1.8, 2.5], [256, 1.8, 2.2], [1_000, 1.8, 2.1]),
  ...ratios('more', 'deletes', byHand,
    [1, 0.95, 0.93], [4, 0.95, 0.9], [16, 1.3, 1.4], [64, 1.8, 2.6], [256, 1.8, 2.5], [1_000, 1.8, 2.2]),
  ...ratios('more', 'lists', byHand,
    [1, givenUp, 0.75], [4, 0.95, 0.85], [16, 1.3, 1.4], [64, 1.8, 1.9], [256, 1.8, 1.8], [1_000, 1.8, 1.6]),
  ...ratios('more', 'mix', byHand, [16, 1.2, 1.2], [64, 1.2, 1.8], [256, 1.2, 1.7], [1_000, 1.2, 1.7]),
  ...ratios('less', 'creates-cpu', byHand, [1, 1.15, 1.1], [64, 0.5, 0.4]),
  ...ratios('less', 'start', byHand, [1, givenUp, 2]),
  ...ratios('less', 'rest', byHand, [1, givenUp, 1.24]),
  ...ratios('less', 'list', copy, [million, givenUp, 1.6]),
  atMost('list-first-byte', [million, 20, 20]),
  atMost('list-memory', [million, 48, 48]),
  atMost('quiet-p50', [500, 50, 43]),
  atMost('quiet-p99', [500, 250, 60]),
  atMost('overload-accepted-p99', [4_000, 3_000, 3_040]),
  atMost('overload-live-p99', [4_000, 250, 122]),
];
