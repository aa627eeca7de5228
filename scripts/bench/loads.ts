/** The same work over few and many connections. */
import { serviceAndPeers } from './contestants.js';
import { BenchDatabase } from './database.js';
import { type Load, type LoadResult, unusedIds } from './load.js';
import { deletesPerSecond, loadMeasures, plantsOfPages } from './measures.js';
import type { Measured } from './results.js';
import { type Entrant, inRounds } from './rounds.js';
import { owners, type Running, type Session, withContestants } from './session.js';

const connectionCounts = [1, 2, 4, 8, 16, 64, 256, 1_000];

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

/** By names of the form "creates-by-connections". */
export function measuresOfLoads(): Record<string, (session: Session) => Promise<Measured[]>> {
  return Object.fromEntries(kindsOfLoads.map((load) => [`${load.name}-by-connections`, measureLoads(load)]));
}

function measureLoads({ kind, name, title: ofKind }: KindOfLoad): (session: Session) => Promise<Measured[]> {
  return async (session) => {
    const { options } = session;
    const title = `${ofKind} by connections`;
    const shared = kind === 'page' ? { shared: await filled(session) } : {};
    return withContestants(session, { ...shared, only: serviceAndPeers }, async (all) => {
      const counts = options.connections ?? connectionCounts;
      const entrants = counts.flatMap((count) =>
        all.map((running) => loadEntrant(session, running, kind, count)),
      );
      const measured = await inRounds(title, entrants, session);
      return loadMeasures(`${name}-by-connections`, title, measured, 'connections');
    });
  };
}

async function filled(session: Session): Promise<BenchDatabase> {
  const database = await BenchDatabase.create(session.postgres, session.tokens);
  await database.fill(plantsOfPages, owners);
  return database;
}

/** One contestant with one kind of load, on a database that is filled for it. */
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
      prepare: (round: number) => database.fill(stored(round > 0 ? options.seconds : options.warmUp), owners),
    }),
    measure: () => load(options.seconds),
    warmUp: () => load(options.warmUp),
  };
}
