/** Throughputs in short, from one connection to a thousand, for the guard. */

import { type Load, type LoadResult, unusedIds } from '../../kit/load.js';
import { service } from './contestants.js';
import { kindsOfLoads, loadEntrant, plantsOfPages } from './loads.js';
import type { Measured } from './results.js';
import { type Entrant, inRounds, seriesOf } from './rounds.js';
import { connections, owners, type Running, type Session, withContestants } from './session.js';

/**
 * The guard's ratios are to this one: on the same runtime, other machines change them least. It is the bare one,
 * because the recorded runs are beside it.
 */
export const reference = 'fastify-by-hand-bare';
const mostConnections = 1_000;
const connectionCounts = [1, 4, 64, mostConnections];
/** Each owner has more than a page of them. */
const fewPlants = 1_600;

/** @param wants which are measured, by names of the form "creates with 64" */
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

/** All kinds at once. Creates of a mix are also refused, by some, and that takes other code. */
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
    // A slow machine refuses what would wait for more than 200 ms: some of the most, and few others if its disk stalls.
    ...loadEntrant(session, running, kind, count, { mayBeRefused: count === mostConnections ? 1 : 0.01 }),
    ...(kind === 'page' && { prepare: () => running.database.fill(fewPlants, owners) }),
    warmUp: null,
  };
}
