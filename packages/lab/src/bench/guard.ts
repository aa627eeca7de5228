/**
 * Compares the CPU time of a request with that of the build before, which takes turns with today's on the
 * same PostgreSQL. So neither another machine nor a busy hour moves the ratio.
 *
 * A ratio of one repetition is the median of the ratios of its rounds. Ratios above `bound` are measured
 * again, twice, by new processes: only what is above it each time costs too much. For example:
 *
 *     creates with 64    1.31  1.28  1.33   costs too much
 *     lists with 1       1.27  1.04         has passed: V8 compiled one of the processes unluckily
 */
import { table } from '../../../contract-tools/base.js';
import { ProgramError } from '../../../kit/index.js';
import type { Exception } from './build-before.js';
import { before, service } from './contestants.js';
import { measurePeers } from './peers.js';
import { type Measured, median, ratiosOf, seriesOf } from './rounds.js';
import type { Session } from './session.js';

const bound = 1.25;
const repetitions = 3;
/** A ratio above this is named, so that the message of the commit can say why. */
const worthNaming = 1.1;
/** Creates and deletes are alone with one connection, and share statements with 64. */
const connections = [1, 64];
const measures = ['creates', 'deletes', 'lists'];

export interface Comparison {
  /** Such as "creates with 64". */
  readonly figure: string;
  readonly measure: string;
  readonly at: number;
  /** One for each repetition: the CPU time of a request, divided by that of the build before. */
  readonly ratios: readonly number[];
}

export type Ruling = 'holds' | 'costs more' | 'meant to cost more' | 'costs too much';

/** @returns the tables of the first repetition, and the ratios of all */
export async function compareWithBefore(
  session: Session,
): Promise<{ measured: Measured[]; comparisons: Comparison[] }> {
  const first = await measurePeers(session, connections, (measure) => measures.includes(measure));
  let comparisons = measures.flatMap((measure) =>
    connections.map((at) => ({
      figure: `${measure} with ${at}`,
      measure,
      at,
      ratios: [ratioOf(first, measure, at)],
    })),
  );
  for (let repetition = 2; repetition <= repetitions; repetition++) {
    const suspects = comparisons.filter(isAboveEachTime);
    if (suspects.length === 0) break;
    session.progress.done(`Measuring again: ${suspects.map(({ figure }) => figure).join(', ')}`);
    const again = await measurePeers(session, connections, (measure, at) =>
      suspects.some((one) => one.measure === measure && one.at === at),
    );
    comparisons = comparisons.map((one) =>
      suspects.includes(one) ? { ...one, ratios: [...one.ratios, ratioOf(again, one.measure, one.at)] } : one,
    );
  }
  return { measured: first, comparisons };
}

/**
 * @returns the median of the rounds
 * @throws {ProgramError} if there is no CPU time to compare
 */
function ratioOf(measured: readonly Measured[], measure: string, at: number): number {
  const valuesOf = (contestant: string) => seriesOf(measured, `${measure}-cpu`, contestant, at)?.values ?? [];
  const ratio = median(ratiosOf(valuesOf(service.name), valuesOf(before)));
  if (Number.isFinite(ratio)) return ratio;
  throw new ProgramError('The guard compares CPU times, which Linux counts in /proc: run it on Linux.');
}

function isAboveEachTime({ ratios }: Pick<Comparison, 'ratios'>): boolean {
  return ratios.every((ratio) => ratio > bound);
}

/** @param exceptions the figures that a change is meant to make cost more */
export function rule({ figure, ratios }: Comparison, exceptions: readonly Exception[]): Ruling {
  if (isAboveEachTime({ ratios }))
    return exceptions.some((one) => one.figure === figure) ? 'meant to cost more' : 'costs too much';
  return ratios.every((ratio) => ratio > worthNaming) ? 'costs more' : 'holds';
}

/** Writes a table with the ratios of each repetition, and the rulings. */
export function guardTable(comparisons: readonly Comparison[], exceptions: readonly Exception[]): string {
  const rows = comparisons.map((one) => {
    const reason = exceptions.find(({ figure }) => figure === one.figure)?.reason;
    const ruling = rule(one, exceptions);
    return [
      one.figure,
      one.ratios.map((ratio) => ratio.toFixed(2)).join(', '),
      ruling === 'meant to cost more' ? `${ruling}: ${reason}` : ruling,
    ];
  });
  return table(['', 'CPU time ÷ build before', ''], rows);
}
