/** The contestants side by side: creates, deletes, short lists. */
import { BenchDatabase } from './database.js';
import { type Load, type LoadResult, unusedIds } from './load.js';
import { pgbenchCreates } from './pgbench.js';
import type { Measured } from './results.js';
import { type Entrant, inRounds, type Measurement, seriesOf } from './rounds.js';
import { connections, owners, type Running, type Session, withContestants } from './session.js';

/** More deletes than anybody manages in a second, so that no contestant runs out of plants. */
export const deletesPerSecond = 80_000;
export const plantsOfPages = 160_000;

export async function measureCreates(session: Session): Promise<Measured[]> {
  return withContestants(session, {}, async (all) => {
    const load = loadOf(session, 'create');
    const entrants: Entrant<LoadResult>[] = all.map(({ contestant: { name, title }, server, database }) => ({
      name,
      title,
      prepare: () => database.fill(0, owners),
      measure: () => session.send(server.address, { ...load, firstId: unusedIds() }),
      warmUp: () =>
        session.send(server.address, { ...load, firstId: unusedIds(), seconds: session.options.warmUp }),
    }));
    const pgbench = await pgbenchEntrant(session, load);
    if (pgbench !== undefined) entrants.push(pgbench);
    return measureLoad(session, 'creates', 'Creates', entrants);
  });
}

export async function measureDeletes(session: Session): Promise<Measured[]> {
  const { seconds, warmUp } = session.options;
  return withContestants(session, {}, (all) => {
    const entrants = all.map((running) => ({
      ...sending(session, running, loadOf(session, 'delete')),
      prepare: (round: number) =>
        running.database.fill((round > 0 ? seconds : warmUp) * deletesPerSecond, owners),
    }));
    return measureLoad(session, 'deletes', 'Deletes', entrants);
  });
}

export async function measurePages(session: Session): Promise<Measured[]> {
  const shared = await BenchDatabase.create(session.postgres, session.tokens);
  await shared.fill(plantsOfPages, owners);
  return withContestants(session, { shared }, (all) => {
    const entrants = all.map((running) => sending(session, running, loadOf(session, 'page')));
    return measureLoad(session, 'page', 'Lists of limit=20', entrants);
  });
}

function loadOf({ options, tokens }: Session, kind: Load['kind']): Load {
  return { kind, connections, seconds: options.seconds, firstId: 1, tokens };
}

function sending(session: Session, { contestant, server }: Running, load: Load): Entrant<LoadResult> {
  const { name, title } = contestant;
  return {
    name,
    title,
    measure: () => session.send(server.address, load),
    warmUp: () => session.send(server.address, { ...load, seconds: session.options.warmUp }),
  };
}

async function pgbenchEntrant(session: Session, load: Load): Promise<Entrant<LoadResult> | undefined> {
  const { cleanup, folder, missing, options, tools } = session;
  const name = 'pgbench';
  if (!options.wants(name)) return undefined;
  const program = tools.pgbench;
  if (program === undefined) {
    missing.push(`${name}: It is not on this machine (Debian: postgresql).`);
    return undefined;
  }
  const database = await BenchDatabase.create(session.postgres, session.tokens);
  return {
    name,
    title: 'pgbench, the same INSERT',
    prepare: () => database.fill(0, owners),
    measure: () => pgbenchCreates(cleanup, program, folder, database.url, load),
    // pgbench's caches are PostgreSQL's, which the others have warmed.
    warmUp: null,
  };
}

async function measureLoad(
  session: Session,
  name: string,
  title: string,
  entrants: readonly Entrant<LoadResult>[],
): Promise<Measured[]> {
  return loadMeasures(name, title, await inRounds(title, entrants, session));
}

/**
 * Three measures of one load. No longest wait: it may be that of a request in flight at the end, which is not
 * seen.
 */
export function loadMeasures(
  name: string,
  title: string,
  measurements: readonly Measurement<LoadResult>[],
  axis?: string,
): Measured[] {
  const common = axis === undefined ? {} : { axis };
  return [
    {
      ...common,
      name,
      title: `${title} per second`,
      unit: 'per second',
      better: 'more',
      series: seriesOf(measurements, ({ perSecond }) => perSecond),
    },
    {
      ...common,
      name: `${name}-p50`,
      title: `${title}: latency, median`,
      unit: 'ms',
      better: 'less',
      series: seriesOf(measurements, ({ p50 }) => p50),
    },
    {
      ...common,
      name: `${name}-p99`,
      title: `${title}: latency, 99th percentile`,
      unit: 'ms',
      better: 'less',
      series: seriesOf(measurements, ({ p99 }) => p99),
    },
  ];
}
