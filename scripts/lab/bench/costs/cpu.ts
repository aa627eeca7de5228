import { cpuSeconds, familyCpuSeconds } from '../../../kit/kernel.js';
import { unusedIds } from '../../../kit/load.js';
import { serviceAndPeers } from '../contestants.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import { owners, type Running, type Session, withContestants } from '../session.js';

/** One connection, and as many as in the other measures. */
const connectionCounts = [1, 64];
const title = 'CPU time of a create';

/** The CPU time of a create in microseconds. */
interface CpuTimes {
  readonly server: number;
  readonly postgres: number;
}

/** What a create costs, in the contestant's process and in all of PostgreSQL's. */
export async function measureCpu(session: Session): Promise<Measured[]> {
  const { missing, options, postgres } = session;
  const postmaster = await postgres.postmaster();
  if (postmaster === undefined) {
    missing.push('cpu: PostgreSQL is not on this machine, or there is no /proc.');
    return [];
  }
  return withContestants(session, { only: serviceAndPeers }, async (all) => {
    const counts = options.connections ?? connectionCounts;
    const entrants = counts.flatMap((count) =>
      all.map((running) => entrantOf(session, running, postmaster, count)),
    );
    const measured = await inRounds(title, entrants, session);
    const figure = (name: string, of: string, pick: (times: CpuTimes) => number): Measured => ({
      name,
      title: `${title}, ${of}`,
      unit: 'µs',
      better: 'less',
      axis: 'connections',
      series: seriesOf(measured, pick),
    });
    return [
      figure('cpu', 'the program and PostgreSQL together', (times) => times.server + times.postgres),
      figure('cpu-server', 'the program alone', ({ server }) => server),
      figure('cpu-postgres', 'PostgreSQL alone', ({ postgres }) => postgres),
    ];
  });
}

function entrantOf(
  { options, send, tokens }: Session,
  { contestant: { name, title }, server, database }: Running,
  postmaster: number,
  connections: number,
): Entrant<CpuTimes> {
  const load = (seconds: number) =>
    send(server.address, { kind: 'create', connections, seconds, firstId: unusedIds(), tokens });
  const now = async () => ({
    server: (await cpuSeconds(server.pid ?? 0)) ?? Number.NaN,
    postgres: await familyCpuSeconds([postmaster]),
  });
  return {
    name,
    title,
    at: connections,
    prepare: () => database.fill(0, owners),
    warmUp: () => load(options.warmUpSeconds),
    async measure() {
      const before = await now();
      const { requests } = await load(options.seconds);
      const after = await now();
      const each = 1e6 / requests;
      return {
        server: (after.server - before.server) * each,
        postgres: (after.postgres - before.postgres) * each,
      };
    },
  };
}
