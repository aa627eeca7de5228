/** The service beside the peers of the same work and the bare ones, from one connection to a thousand. */
import { barePeers, serviceAndPeers } from './contestants.js';
import { kindsOfLoads, loadMeasures } from './loads.js';
import { shortEntrant, warmUp } from './quick.js';
import type { Measured } from './results.js';
import { inRounds } from './rounds.js';
import { type Session, withContestants } from './session.js';

const connectionCounts = [1, 4, 16, 64, 256, 1_000];

export const contestantsOfPeers = [...serviceAndPeers, ...barePeers];

export async function measurePeers(session: Session): Promise<Measured[]> {
  const { options, progress } = session;
  return withContestants(session, { only: contestantsOfPeers }, async (all) => {
    progress.show('warming up');
    for (const running of all) await warmUp(session, running);
    const measured: Measured[] = [];
    for (const { kind, name, title } of kindsOfLoads) {
      const counts = options.connections ?? connectionCounts;
      // The contestants follow each other with the same number of connections, because their ratio is taken.
      const entrants = counts.flatMap((count) =>
        all.map((running) => shortEntrant(session, running, kind, count)),
      );
      const [perSecond, , p99] = loadMeasures(
        `${name}-beside-peers`,
        title,
        await inRounds(title, entrants, session),
        'connections',
      );
      // The median latency says no more than the throughput, because each connection waits for its answer.
      measured.push(...[perSecond, p99].filter((one) => one !== undefined));
    }
    return measured;
  });
}
