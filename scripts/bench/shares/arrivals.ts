import { setTimeout as pause } from 'node:timers/promises';
import { serviceAndByHand } from '../contestants.js';
import { unusedIds } from '../load.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import { owners, type Running, type Session, withContestants } from '../session.js';
import { type Probes, startProbes } from './probes.js';
import { lacksWrk, openingSeconds } from './with-wrk.js';

export const busyCounts = [1_000];
const title = 'New connections beside busy ones';
const settings = { ADMIN_PORT: '0' };

/** How long clients wait who come while many connections create. */
export async function measureArrivals(session: Session): Promise<Measured[]> {
  if (lacksWrk(session, 'arrivals')) return [];
  return withContestants(session, { only: serviceAndByHand, settings }, async (all) => {
    const counts = session.options.connections ?? busyCounts;
    const entrants = counts.flatMap((count) => all.map((running) => entrantOf(session, running, count)));
    const measured = await inRounds(title, entrants, session);
    const figure = (name: string, of: string, pick: (probes: Probes) => number): Measured => ({
      ...{ name, axis: 'busy connections', title: `${title}: ${of}` },
      ...{ unit: 'ms', better: 'less', series: seriesOf(measured, pick) },
    });
    return [
      figure('arrivals-live-p50', '/live, median', ({ live }) => live.p50),
      figure('arrivals-live-p99', '/live, 99th percentile', ({ live }) => live.p99),
      figure('arrivals-ready-p50', '/ready of the admin port, median', ({ ready }) => ready.p50),
      figure('arrivals-ready-p99', '/ready of the admin port, 99th percentile', ({ ready }) => ready.p99),
    ];
  });
}

function entrantOf(
  { cleanup, options, send, tokens }: Session,
  { contestant: { name, title }, server, database }: Running,
  connections: number,
): Entrant<Probes> {
  const opening = openingSeconds(connections);
  const create = (seconds: number) =>
    send(server.address, { kind: 'create', connections, seconds, firstId: unusedIds(), tokens });
  return {
    ...{ name, title, at: connections },
    prepare: () => database.fill(0, owners),
    warmUp: () => create(options.warmUp),
    async measure() {
      const probe = await startProbes(cleanup, server);
      const arrivals = pause(opening * 1_000).then(() => probe(options.seconds));
      const [probes] = await Promise.all([arrivals, create(opening + options.seconds)]);
      return probes;
    },
  };
}
