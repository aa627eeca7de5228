/**
 * Measures the service beside its peers: creates, deletes, short lists and daily life, over one connection to
 * a thousand.
 */
import { familyCpuSeconds } from './cpu-time.js';
import { type Entrant, figureOf, inRounds, type Measured, type Step } from './rounds.js';
import { type Running, type Session, storedPlants, withContestants } from './session.js';
import { type Load, type LoadResult, unusedIds } from './wrk.js';

export const kinds = [
  { kind: 'create', name: 'creates', title: 'Creates' },
  { kind: 'delete', name: 'deletes', title: 'Deletes' },
  { kind: 'page', name: 'lists', title: 'Lists of 20' },
  { kind: 'mix', name: 'mix', title: 'Daily life' },
] as const;

const connectionCounts = [1, 4, 16, 64, 256, 1_000];
/**
 * With the most connections, a slow machine may refuse any number of requests that would wait for too long.
 */
const maxConnections = 1_000;
/** More deletes than anybody manages in a second, so that no contestant runs out of plants. */
const deletesPerSecond = 80_000;
/** So few that they are stored quickly, and so many that each owner has more than a page of them. */
const fewPlants = 1_600;

interface Outcome extends LoadResult {
  /** The CPU time of a request in microseconds: that of the program, and of PostgreSQL. */
  readonly cpuMicroseconds: number;
  /** The statements of a request; NaN if they are not counted. */
  readonly statements: number;
}

/**
 * @param counts the numbers of connections
 * @param wants says whether a kind of load is measured with a number of connections
 */
export async function measurePeers(
  session: Session,
  counts = session.options.connections ?? connectionCounts,
  wants: (measure: string, connections: number) => boolean = () => true,
): Promise<Measured[]> {
  return withContestants(session, {}, async (all) => {
    const measured: Measured[] = [];
    for (const { kind, name, title } of kinds) {
      const steps: Step<Outcome>[] = [];
      for (const connections of counts.filter((count) => wants(name, count))) {
        const entrants = all.map((running) => entrantOf(session, running, kind, connections));
        steps.push(await inRounds(session, `${title} with ${connections}`, connections, entrants));
      }
      const about = (figure: string, words: string) => ({
        name: `${name}${figure}`,
        title: `${title}${words}`,
        axis: 'connections',
      });
      if (steps.length === 0) continue;
      measured.push(
        figureOf(about('', ' a second'), steps, ({ perSecond }) => perSecond),
        figureOf(about('-p99', ': 99th percentile, ms'), steps, ({ p99Ms }) => p99Ms),
        figureOf(about('-cpu', ': CPU for each, with PostgreSQL, µs'), steps, (one) => one.cpuMicroseconds),
        figureOf(about('-statements', ': statements for each'), steps, ({ statements }) => statements),
      );
    }
    return measured;
  });
}

function entrantOf(
  { options: { seconds }, postgres, send }: Session,
  { contestant: { name, title }, server, database }: Running,
  kind: Load['kind'],
  connections: number,
): Entrant<Outcome> {
  const stored = {
    create: 0,
    delete: seconds * Math.min(deletesPerSecond, connections * 5_000),
    page: fewPlants,
    mix: storedPlants,
  };
  const family = [server.pid ?? 0, postgres.postmaster];
  return {
    name,
    title,
    // Every contestant meets the same store in every round.
    prepare: () => database.fill(stored[kind]),
    async measure() {
      const statementsBefore = await postgres.statements(database.url);
      const before = await familyCpuSeconds(family);
      const result = await send(server.address, {
        kind,
        connections,
        seconds,
        firstId: kind === 'delete' ? 1 : unusedIds(),
        tokens: database.tokens,
        mayBeRefused: connections >= maxConnections ? 1 : 0.01,
      });
      const cpuSeconds = (await familyCpuSeconds(family)) - before;
      const statements = (await postgres.statements(database.url)) - statementsBefore;
      return {
        ...result,
        cpuMicroseconds: (cpuSeconds / result.requests) * 1e6,
        statements: statements / result.requests,
      };
    },
  };
}
