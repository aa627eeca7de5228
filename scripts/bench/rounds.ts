import type { Progress } from './progress.js';
import type { Series } from './results.js';

/** A participant of a measure, perhaps with an amount of work. */
export interface Entrant<Figures> {
  readonly name: string;
  readonly title: string;
  readonly at?: number;
  /** Prepares a round before the clock runs. */
  prepare?(round: number): Promise<unknown>;
  measure(round: number): Promise<Figures>;
  /** Replaces the warm-up measurement; null if it is warm. */
  readonly warmUp?: (() => Promise<unknown>) | null;
}

export interface Measurement<Figures> {
  readonly entrant: Entrant<Figures>;
  /** One value for each round. */
  readonly rounds: Figures[];
}

/**
 * Measures all entrants in each round, one after the other, so that changes of the machine affect all alike.
 * The order changes from round to round. A warm-up round comes first, and does not count.
 */
export async function inRounds<Figures>(
  title: string,
  entrants: readonly Entrant<Figures>[],
  rounds: number,
  progress: Progress,
): Promise<Measurement<Figures>[]> {
  const measurements: Measurement<Figures>[] = entrants.map((entrant) => ({ entrant, rounds: [] }));
  for (let round = 0; round <= rounds; round++) {
    const first = round % measurements.length;
    for (const { entrant, rounds: figures } of [
      ...measurements.slice(first),
      ...measurements.slice(0, first),
    ]) {
      const which = round === 0 ? 'warming up' : `round ${round} of ${rounds}`;
      progress.show(`${title}: ${which}, ${entrant.title}`);
      if (round === 0 && entrant.warmUp === null) continue;
      await entrant.prepare?.(round);
      if (round > 0) figures.push(await entrant.measure(round));
      else await (entrant.warmUp?.() ?? entrant.measure(round));
    }
  }
  progress.done(title);
  return measurements;
}

/** One figure of each entrant; entrants without it are left out. */
export function seriesOf<Figures>(
  measurements: readonly Measurement<Figures>[],
  pick: (figures: Figures) => number,
): Series[] {
  return measurements
    .map(({ entrant: { name, title, at }, rounds }) => ({
      name,
      title,
      ...(at !== undefined && { at }),
      values: rounds.map(pick),
    }))
    .filter(({ values }) => !values.some(Number.isNaN));
}
