/**
 * Says of each goal whether it is met, being worked on, given up, or worse by a quarter than what was reached
 * before.
 */
import { table } from '../../contract/kit/report/table.js';
import { contestantNames } from './contestants.js';
import type { Goal } from './goals.js';
import { type Measured, median, quantile, ratiosOf, seriesOf } from './rounds.js';

/** A figure has fallen if it is worse by this share than what was reached. */
const tolerance = 0.25;
/** A figure is measured again if it seems to be worse by this share. */
const suspicion = 0.15;

/** The values of a goal's figure, one for each round. */
export interface Values {
  readonly goal: Goal;
  readonly values: readonly number[];
}

export interface Verdict extends Values {
  readonly isSuspect: boolean;
  readonly words: 'met' | 'being worked on' | 'given up' | 'fell';
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

/** Puts the rounds of both together. */
export function together(first: readonly Values[], second: readonly Values[]): Values[] {
  return first.map(({ goal, values }) => ({
    goal,
    values: [...values, ...(second.find((one) => one.goal === goal)?.values ?? [])],
  }));
}

/** Compares the median of the rounds with the goal, and with what was reached. */
export function judge({ goal, values }: Values): Verdict {
  const now = median(values);
  const { better, reached } = goal;
  const isBetterThan = (one: number) => (better === 'more' ? now >= one : now <= one);
  const isWorseBy = (share: number) =>
    better === 'more' ? now <= reached * (1 - share) : now >= reached / (1 - share);
  const isSuspect = isWorseBy(suspicion);
  if (isWorseBy(tolerance)) return { goal, values, isSuspect, words: 'fell' };
  if (goal.goal === undefined) return { goal, values, isSuspect, words: 'given up' };
  return { goal, values, isSuspect, words: isBetterThan(goal.goal) ? 'met' : 'being worked on' };
}

export function nameOf({ measure, at, of, to }: Goal): string {
  const whose = contestantNames[0] === of ? '' : ` ${of}`;
  return `${measure} with ${at.toLocaleString('en')}${whose}${to === undefined ? '' : ` ÷ ${to}`}`;
}

/** Writes a table of the verdicts, with the middle half of the rounds in brackets. */
export function guardTable(verdicts: readonly Verdict[]): string {
  const digits = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
  const rows = verdicts.map(({ goal, values, words }) => [
    nameOf(goal),
    `${digits(median(values))} (${digits(quantile(values, 0.25))}–${digits(quantile(values, 0.75))})`,
    goal.goal === undefined ? '' : `${goal.better === 'more' ? 'at least' : 'at most'} ${digits(goal.goal)}`,
    digits(goal.reached),
    words,
  ]);
  return table(['', 'now', 'goal', 'reached before', ''], rows);
}
