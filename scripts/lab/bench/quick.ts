/** Measures throughputs in a short time for the guard, from one connection to a thousand. */

import { type Load, type LoadResult, unusedIds } from '../../kit/load.js';
import { service } from './contestants.js';
import { kindsOfLoads, loadEntrant, plantsOfPages } from './loads.js';
import type { Measured } from './results.js';
import { type Entrant, inRounds, seriesOf } from './rounds.js';
import { connections, owners, type Running, type Session, withContestants } from './session.js';

/**
 * The contestant that the guard compares the service with. It has the same runtime, so that the ratio changes
 * least from machine to machine. It is the bare one, because the recorded runs were compared with it.
 */
export const reference = 'fastify-by-hand-bare';
const maxConnections = 1_000;
const connectionCounts = [1, 4, 64, maxConnections];
/** So few that they are stored quickly, and so many that each owner has more than a page of them. */
const fewPlants = 1_600;

/** @param wants says which ratios are measured, by names of the form "creates with 64" */
export async function measureQuick(
  session: Session,
  wants: (name: string) => boolean = () => true,
): Promise<Measured[]> {
  const { options, progress } = session;
  return withContestants(session, { only: [service.name, reference] }, async (all) => {
    progress.show('warming up');
    for (const running of all) await warmUp(session, running);
    const measured: Measured[] = [];
    for (const { kind, name, title } of kindsOfLoads) {
      if (kind === 'mix') continue;
      const counts = (options.connections ?? connectionCounts).filter((count) =>
        wants(`${name} with ${count}`),
      );
      const entrants = counts.flatMap((count) =>
        all.map((running) => shortEntrant(session, running, kind, count)),
      );
      if (entrants.length === 0) continue;
      const measurements = await inRounds(title, entrants, session);
      const series = seriesOf(measurements, ({ perSecond }) => perSecond);
      const common = { unit: 'per second', better: 'more', axis: 'connections' } as const;
      measured.push({ ...common, name, title: `${title} per second`, series });
    }
    return measured;
  });
}

/**
 * Warms the servers up with all kinds of requests. Some contestants refuse a repeated create, which takes
 * other code.
 */
export async function warmUp(
  { options, send, tokens }: Session,
  { server, database }: Running,
): Promise<void> {
  await database.fill(plantsOfPages, owners);
  const firstId = unusedIds();
  await send(server.address, { kind: 'mix', connections, seconds: options.warmUpSeconds, firstId, tokens });
}

export function shortEntrant(
  session: Session,
  running: Running,
  kind: Load['kind'],
  count: number,
): Entrant<LoadResult> {
  return {
    // A slow machine refuses what would wait for more than 200 ms: with the most connections any number, and
    // with fewer ones only some, if its disk stalls.
    ...loadEntrant(session, running, kind, count, { mayBeRefused: count === maxConnections ? 1 : 0.01 }),
    ...(kind === 'page' && { prepare: () => running.database.fill(fewPlants, owners) }),
    warmUp: null,
  };
}
