import type { Series } from './results.js';
import type { Session } from './session.js';

/** A participant of a measure, perhaps with an amount of work. */
export interface Entrant<Figures> {
  readonly name: string;
  readonly title: string;
  readonly at?: number;
  /** Prepares a round before the clock runs. */
  prepare?(round: number): Promise<unknown>;
  measure(round: number): Promise<Figures>;
  /** What warms it up instead of a measurement that does not count. Null if it is warm already. */
  readonly warmUp?: (() => Promise<unknown>) | null;
}

export interface Measurement<Figures> {
  readonly entrant: Entrant<Figures>;
  /** One value for each round. */
  readonly rounds: Figures[];
  /** The rounds, from 0, in which other programs took the machine's time. */
  readonly disturbed: number[];
}

/**
 * Measures all entrants in each round, one after the other, so that changes of the machine affect all alike.
 * The order changes from round to round. A warm-up round comes first, and does not count.
 */
export async function inRounds<Figures>(
  title: string,
  entrants: readonly Entrant<Figures>[],
  { options, progress, strangers }: Pick<Session, 'progress' | 'strangers'> & { options: { rounds: number } },
): Promise<Measurement<Figures>[]> {
  const measurements: Measurement<Figures>[] = entrants.map((entrant) => ({
    entrant,
    rounds: [],
    disturbed: [],
  }));
  for (let round = 0; round <= options.rounds; round++) {
    const first = round % measurements.length;
    for (const { entrant, rounds, disturbed } of [
      ...measurements.slice(first),
      ...measurements.slice(0, first),
    ]) {
      const which = round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`;
      progress.show(`${title}: ${which}, ${entrant.title}`);
      if (round === 0) {
        await warmUp(entrant);
        continue;
      }
      const { result, isDisturbed } = await strangers.keepAway(
        () => entrant.measure(round),
        () => entrant.prepare?.(round),
      );
      rounds.push(result);
      if (isDisturbed) disturbed.push(round - 1);
    }
  }
  progress.done(title);
  return measurements;
}

async function warmUp<Figures>(entrant: Entrant<Figures>): Promise<void> {
  if (entrant.warmUp === null) return;
  await entrant.prepare?.(0);
  await (entrant.warmUp?.() ?? entrant.measure(0));
}

/** Takes one figure of each entrant. Entrants that do not have it are left out. */
export function seriesOf<Figures>(
  measurements: readonly Measurement<Figures>[],
  pick: (figures: Figures) => number,
): Series[] {
  return measurements
    .map(({ entrant: { name, title, at }, rounds, disturbed }) => ({
      name,
      title,
      ...(at !== undefined && { at }),
      ...(disturbed.length > 0 && { disturbed }),
      values: rounds.map(pick),
    }))
    .filter(({ values }) => !values.some(Number.isNaN));
}
