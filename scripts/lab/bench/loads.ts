/** One contestant under one kind of load. All measures of throughput and latency are made of these. */
import { type Load, type LoadResult, unusedIds } from '../../kit/load.js';
import type { Measured } from './results.js';
import { type Entrant, type Measurement, seriesOf } from './rounds.js';
import { owners, type Running, type Session } from './session.js';

/** More deletes than anybody manages in a second, so that no contestant runs out of plants. */
export const deletesPerSecond = 80_000;
export const plantsOfPages = 160_000;

interface KindOfLoad {
  readonly kind: 'create' | 'delete' | 'page' | 'mix';
  readonly name: string;
  readonly title: string;
}

export const kindsOfLoads: readonly KindOfLoad[] = [
  { kind: 'create', name: 'creates', title: 'Creates' },
  { kind: 'delete', name: 'deletes', title: 'Deletes' },
  { kind: 'page', name: 'pages', title: 'Lists of limit=20' },
  { kind: 'mix', name: 'mix', title: 'Daily life' },
];

/**
 * Makes a participant whose database is filled for each round, so that every contestant meets the same store.
 */
export function loadEntrant(
  { options, send, tokens }: Session,
  { contestant: { name, title }, server, database }: Running,
  kind: Load['kind'],
  connections: number,
  shape: Pick<Load, 'mayBeRefused'> = {},
): Entrant<LoadResult> {
  const load = (seconds: number) => {
    const firstId = kind === 'delete' ? 1 : unusedIds();
    return send(server.address, { ...shape, kind, connections, seconds, firstId, tokens });
  };
  const stored = (seconds: number) => {
    if (kind === 'delete')
      return Math.min(seconds, 2) * Math.min(deletesPerSecond, connections * 5_000) + 1_000;
    return kind === 'mix' ? plantsOfPages : 0;
  };
  return {
    name,
    title,
    at: connections,
    ...(kind !== 'page' && {
      prepare: (round: number) =>
        database.fill(stored(round > 0 ? options.seconds : options.warmUpSeconds), owners),
    }),
    measure: () => load(options.seconds),
    warmUp: () => load(options.warmUpSeconds),
  };
}

/**
 * Makes three measures of one load. The longest wait is not among them, because it may be that of a request
 * that was in flight at the end, and whose answer nobody saw.
 */
export function loadMeasures(
  name: string,
  title: string,
  measurements: readonly Measurement<LoadResult>[],
  axis?: string,
): Measured[] {
  const common = axis === undefined ? {} : { axis };
  const latency = (figure: 'p50' | 'p99', words: string): Measured => ({
    ...common,
    name: `${name}-${figure}`,
    title: `${title}: latency, ${words}`,
    unit: 'ms',
    better: 'less',
    series: seriesOf(measurements, (result) => result[figure]),
  });
  const perSecond: Measured = {
    ...common,
    name,
    title: `${title} per second`,
    unit: 'per second',
    better: 'more',
    series: seriesOf(measurements, (result) => result.perSecond),
  };
  return [perSecond, latency('p50', 'median'), latency('p99', '99th percentile')];
}
