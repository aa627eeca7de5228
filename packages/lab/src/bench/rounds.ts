/**
 * Takes figures in rounds, so that they can be compared.
 *
 * A machine is not the same from one minute to the next: another program starts, or the processor gets warm
 * and slower. If one contestant were measured at noon and the other one at one, their ratio would tell of the
 * machine. So each round measures all contestants, one after the other, and whatever changes on the machine
 * changes for all of them:
 *
 *     round 1: service 9,100  by hand 4,500   ratio 2.02
 *     round 2: by hand 4,100  service 8,300   ratio 2.02   (a slower minute)
 *     round 3: service 9,000  by hand 4,600   ratio 1.96
 *
 * Ratios are taken within a round, and the median of all rounds counts, here 2.02. The order rotates, because
 * whoever comes second may find warm caches. It costs the rounds: with six contestants and three rounds, a
 * figure of a second takes 18.
 */
import type { Session } from './session.js';

/** A contestant that is ready to be measured. */
export interface Entrant<Outcome> {
  readonly name: string;
  readonly title: string;
  /** Prepares a round before the clock runs. */
  prepare?(): Promise<unknown>;
  /**
   * Measures once.
   *
   * @throws {FailedLoadError} if the contestant gives answers that a load must not get
   */
  measure(): Promise<Outcome>;
}

interface Measurement<Outcome> {
  readonly name: string;
  readonly title: string;
  /** One for each round. */
  readonly outcomes: readonly Outcome[];
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
  /** The name by which goals refer to it, such as `creates-p99`. */
  readonly name: string;
  readonly title: string;
  /** Names what `at` counts. */
  readonly axis: string;
  readonly series: readonly Series[];
}

/**
 * Measures all entrants in each round. Their order rotates from round to round.
 *
 * @param at the amount of work
 * @throws {FailedLoadError} if a contestant gives answers that a load must not get: its figures would be
 *   meaningless
 */
export async function inRounds<Outcome>(
  { options, progress }: Pick<Session, 'progress'> & { options: { rounds: number } },
  title: string,
  at: number,
  entrants: readonly Entrant<Outcome>[],
): Promise<Step<Outcome>> {
  const measurements = entrants.map(({ name, title }) => {
    const outcomes: Outcome[] = [];
    return { name, title, outcomes };
  });
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < entrants.length; turn++) {
      const number = (round + turn) % entrants.length;
      const [entrant, measurement] = [entrants[number], measurements[number]];
      if (entrant === undefined || measurement === undefined) continue;
      progress.show(`${title}: round ${round + 1} of ${options.rounds}, ${entrant.title}`);
      await entrant.prepare?.();
      measurement.outcomes.push(await entrant.measure());
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

/** @returns undefined if the contestant was not measured with this amount of work */
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

/** @returns NaN if there are no values */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * @param part from 0 to 1, such as 0.99
 * @returns the quantile, between two values by linear interpolation; NaN if there are no values
 */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * part;
  const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return below + (above - below) * (place % 1);
}
