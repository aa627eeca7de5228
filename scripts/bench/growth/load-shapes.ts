import { makeToken } from '../../../src/access/token.js';
import { serviceAndPeers } from '../contestants.js';
import { BenchDatabase } from '../database.js';
import { type Load, type LoadResult, unusedIds } from '../load.js';
import { loadMeasures } from '../measures.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds } from '../rounds.js';
import { connections, owners, type Running, type Session, withContestants } from '../session.js';
import { summarize } from '../statistics.js';

const ownerCounts = [1, 10, 100, 1_000, 10_000];

/** Creates by each number of owners, in turn. */
export async function measureOwners(session: Session): Promise<Measured[]> {
  const tokens = Array.from({ length: Math.max(...ownerCounts) }, makeToken);
  const shared = await BenchDatabase.create(session.postgres, tokens);
  return withContestants(session, { shared, only: serviceAndPeers }, (all) =>
    measureShapes(
      session,
      { name: 'creates-by-owners', title: 'Creates by owners', axis: 'owners' },
      all.flatMap((running) =>
        ownerCounts.map((count) => creating(session, running, { at: count, tokens: tokens.slice(0, count) })),
      ),
    ),
  );
}

/** Latencies at half of the peak throughput, which is more like real use than the peak. */
export async function measureHalfLoad(session: Session): Promise<Measured[]> {
  return withContestants(session, { only: serviceAndPeers }, async (all) => {
    const peaks = await inRounds(
      'Peak of creates',
      all.map((running) => creating(session, running, {})),
      session,
    );
    const halves = all.map((running, index) => {
      const peak = summarize(peaks[index]?.rounds.map(({ perSecond }) => perSecond) ?? [])?.median ?? 0;
      return creating(session, running, { perSecond: peak / 2 });
    });
    const title = 'Creates at half of the peak';
    return loadMeasures('creates-at-half', title, await inRounds(title, halves, session));
  });
}

function creating(
  session: Session,
  { contestant: { name, title }, server, database }: Running,
  { at, ...shape }: Partial<Load> & { readonly at?: number },
): Entrant<LoadResult> {
  const usual = {
    kind: 'create',
    connections,
    seconds: session.options.seconds,
    tokens: session.tokens,
  } as const;
  return {
    name,
    title,
    ...(at !== undefined && { at }),
    prepare: () => database.fill(0, owners),
    measure: () => session.send(server.address, { ...usual, firstId: unusedIds(), ...shape }),
    warmUp: () =>
      session.send(server.address, {
        ...usual,
        firstId: unusedIds(),
        ...shape,
        seconds: session.options.warmUp,
      }),
  };
}

async function measureShapes(
  session: Session,
  { name, title, axis }: { name: string; title: string; axis: string },
  entrants: readonly Entrant<LoadResult>[],
): Promise<Measured[]> {
  return loadMeasures(name, title, await inRounds(title, entrants, session), axis);
}
