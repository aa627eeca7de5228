/**
 * Every figure is taken in rounds: all contestants in each, one after the other, so that whatever changes on
 * the machine changes for all of them. Ratios are taken within a round, and the median of all rounds counts.
 */
import type { Session } from './session.js';

/** A contestant that is ready to be measured. */
export interface Entrant<Outcome> {
  readonly name: string;
  readonly title: string;
  /** Prepares a round before the clock runs. */
  prepare?(): Promise<unknown>;
  measure(): Promise<Outcome>;
}

interface Measurement<Outcome> {
  readonly name: string;
  readonly title: string;
  /** One for each round. */
  readonly outcomes: readonly Outcome[];
  /** The rounds, from 0, in which other programs took the machine's time. */
  readonly disturbed: ReadonlySet<number>;
}

/** The figures with one amount of work, such as a number of connections. */
export interface Step<Outcome> {
  readonly at: number;
  readonly measurements: readonly Measurement<Outcome>[];
}

/** The figure of one contestant, with one amount of work. */
export interface Series extends Omit<Measurement<number>, 'outcomes'> {
  readonly at: number;
  /** One for each round. */
  readonly values: readonly number[];
}

/** One quantity, measured for several contestants. */
export interface Measured {
  readonly name: string;
  readonly title: string;
  /** Names what `at` counts. */
  readonly axis: string;
  readonly series: readonly Series[];
}

/** Measures all entrants in each round. Their order rotates from round to round. */
export async function inRounds<Outcome>(
  { options, progress, strangers }: Pick<Session, 'progress' | 'strangers'> & { options: { rounds: number } },
  title: string,
  at: number,
  entrants: readonly Entrant<Outcome>[],
): Promise<Step<Outcome>> {
  const measurements = entrants.map(({ name, title }) => {
    const outcomes: Outcome[] = [];
    return { name, title, outcomes, disturbed: new Set<number>() };
  });
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < entrants.length; turn++) {
      const number = (round + turn) % entrants.length;
      const [entrant, measurement] = [entrants[number], measurements[number]];
      if (entrant === undefined || measurement === undefined) continue;
      progress.show(`${title}: round ${round + 1} of ${options.rounds}, ${entrant.title}`);
      const { result, isDisturbed } = await strangers.keepAway(
        () => entrant.measure(),
        () => entrant.prepare?.(),
      );
      measurement.outcomes.push(result);
      if (isDisturbed) measurement.disturbed.add(round);
    }
  }
  progress.done(title);
  return { at, measurements };
}

/** Takes one figure out of what was measured. Contestants that do not have it are left out. */
export function figureOf<Outcome>(
  about: Omit<Measured, 'series'>,
  steps: readonly Step<Outcome>[],
  pick: (outcome: Outcome) => number,
): Measured {
  const series = steps.flatMap(({ at, measurements }) =>
    measurements.map(({ outcomes, ...contestant }) => ({ ...contestant, at, values: outcomes.map(pick) })),
  );
  return { ...about, series: series.filter(({ values }) => !values.some(Number.isNaN)) };
}

export function seriesOf(
  measured: readonly Measured[],
  measure: string,
  contestant: string,
  at: number,
): Series | undefined {
  const found = measured.find(({ name }) => name === measure);
  return found?.series.find((one) => one.name === contestant && one.at === at);
}

/** @returns the ratio of two figures in each round */
export function ratiosOf(of: readonly number[], to: readonly number[]): number[] {
  return of.slice(0, to.length).map((value, round) => value / (to[round] ?? Number.NaN));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** @returns the quantile, between two values by linear interpolation; NaN if there are no values */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return below + (above - below) * (place % 1);
}
