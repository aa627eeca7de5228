/**
 * Every ratio and figure that is to reach a goal, and whether it does. docs/benchmarks.md names the goals that
 * were given up, with the reasons. A goal judges no change: the guard does that (guard.ts), because a ratio of
 * another day is that of another machine.
 */
import { table } from '../../../contract-tools/base.js';
import { byHand, contestantNames, service } from './contestants.js';
import { type Measured, median, quantile, ratiosOf, seriesOf } from './rounds.js';

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
  readonly goal: number;
}

type Row = readonly [at: number, goal: number];

/** Makes goals for ratios of the service's figure to another contestant's. */
function ratios(better: Goal['better'], measure: string, to: string, ...rows: readonly Row[]): Goal[] {
  return rows.map(([at, goal]) => ({ measure, at, of: service.name, to, better, goal }));
}

/** Makes a goal for a figure of the service. */
function atMost(measure: string, [at, goal]: Row): Goal {
  return { measure, at, of: service.name, better: 'less', goal };
}

// biome-ignore format: one row for each number of connections
export const goals: readonly Goal[] = [
  ...ratios('more', 'creates', byHand, [1, 0.95], [4, 0.95], [16, 1.3], [64, 1.8], [256, 1.8], [1_000, 1.8]),
  ...ratios('more', 'deletes', byHand, [1, 0.95], [4, 0.95], [16, 1.3], [64, 1.8], [256, 1.8], [1_000, 1.8]),
  ...ratios('more', 'lists', byHand, [4, 0.95], [16, 1.3], [64, 1.8], [256, 1.8]),
  ...ratios('more', 'mix', byHand, [16, 1.2], [64, 1.2], [256, 1.2], [1_000, 1.2]),
  ...ratios('less', 'creates-cpu', byHand, [1, 1.15], [64, 0.5]),
  atMost('list-first-byte', [1_000_000, 20]),
  atMost('list-memory', [1_000_000, 48]),
  atMost('quiet-p50', [500, 50]),
  atMost('quiet-p99', [500, 250]),
  atMost('overload-accepted-p99', [4_000, 3_000]),
  atMost('overload-live-p99', [4_000, 250]),
];

/** The values of a goal's figure, one for each round. */
export interface Values {
  readonly goal: Goal;
  readonly values: readonly number[];
}

/** @returns the values of those goals whose figures were measured */
export function valuesOf(measured: readonly Measured[], goals: readonly Goal[]): Values[] {
  return goals.flatMap((goal) => {
    const { measure, at, of, to } = goal;
    const own = seriesOf(measured, measure, of, at);
    const other = to === undefined ? undefined : seriesOf(measured, measure, to, at);
    if (own === undefined || (to !== undefined && other === undefined)) return [];
    const values = other === undefined ? own.values : ratiosOf(own.values, other.values);
    return [{ goal, values }];
  });
}

export function nameOf({ measure, at, of, to }: Goal): string {
  const whose = contestantNames[0] === of ? '' : ` ${of}`;
  return `${measure} with ${at.toLocaleString('en')}${whose}${to === undefined ? '' : ` ÷ ${to}`}`;
}

/** @returns a table of figures and goals, with the middle half of the rounds in brackets */
export function goalTable(all: readonly Values[]): string {
  const digits = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
  const rows = all.map(({ goal, values }) => {
    const now = median(values);
    const isMet = goal.better === 'more' ? now >= goal.goal : now <= goal.goal;
    return [
      nameOf(goal),
      `${digits(now)} (${digits(quantile(values, 0.25))}–${digits(quantile(values, 0.75))})`,
      `${goal.better === 'more' ? 'at least' : 'at most'} ${digits(goal.goal)}`,
      isMet ? 'met' : 'missed',
    ];
  });
  return table(['', 'now', 'goal', ''], rows);
}
