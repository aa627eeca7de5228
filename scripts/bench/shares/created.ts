import { serviceAndByHand } from '../contestants.js';
import { type Load, type LoadResult, unusedIds } from '../load.js';
import { type Entrant, inRounds, type Measurement } from '../rounds.js';
import { owners, type Running, type Session, withContestants } from '../session.js';

type Shape = Pick<Load, 'connections' | 'grace' | 'newConnections'>;

/** Creates of all owners, with connections of some shape. */
export async function measureShape(
  session: Session,
  title: string,
  shape: Shape,
): Promise<Measurement<LoadResult>[]> {
  return withContestants(session, { only: serviceAndByHand }, (all) => {
    const entrants = all.map((running) => entrantOf(session, running, shape));
    return inRounds(title, entrants, session);
  });
}

function entrantOf(
  { options, send, tokens }: Session,
  { contestant: { name, title }, server, database }: Running,
  shape: Shape,
): Entrant<LoadResult> {
  const load = (seconds: number) =>
    send(server.address, { ...shape, kind: 'create', seconds, firstId: unusedIds(), tokens });
  return {
    ...{ name, title },
    prepare: () => database.fill(0, owners),
    warmUp: () => load(options.warmUp),
    measure: () => load(options.seconds),
  };
}
