/**
 * Measures how long an owner waits who creates one plant after the other, beside another one with many busy
 * connections.
 */
import { Creates } from './creates.js';
import type { BenchDatabase } from './database.js';
import { type Entrant, figureOf, inRounds, type Measured, quantile } from './rounds.js';
import type { Session } from './session.js';
import { FailedLoadError, unusedIds } from './wrk.js';

interface Served {
  readonly name: string;
  readonly title: string;
  readonly address: string;
  readonly database: BenchDatabase;
}

/** Creates that are sent before this time do not count, because wrk is still opening its connections. */
const openingSeconds = 1;

/** @param connections those of the greedy owner */
export async function measureQuietOwner(
  session: Session,
  connections: number,
  all: readonly Served[],
): Promise<Measured[]> {
  const title = `A quiet owner's create beside ${connections} busy connections of another`;
  const entrants = all.map((served) => entrantOf(session, served, connections));
  const steps = [await inRounds(session, title, connections, entrants)];
  const about = (figure: string, words: string) => ({
    name: `quiet-${figure}`,
    title: `${title}: ${words}, ms`,
    axis: 'connections',
  });
  return [
    figureOf(about('p50', 'median'), steps, (latencies) => quantile(latencies, 0.5)),
    figureOf(about('p99', '99th percentile'), steps, (latencies) => quantile(latencies, 0.99)),
  ];
}

function entrantOf(
  { options, send }: Session,
  { name, title, address, database }: Served,
  connections: number,
): Entrant<number[]> {
  const [quiet = '', greedy = ''] = database.tokens;
  return {
    name,
    title,
    prepare: () => database.fill(0),
    async measure() {
      const creates = await Creates.open(address, 1);
      const seconds = openingSeconds + options.seconds;
      // This opens the connection. Later, it would wait behind those of the greedy owner: Node.js 20 accepts one in
      // each tick of its event loop, which can take 3 s.
      await create(creates, quiet, unusedIds());
      // On a slow machine all of the greedy owner's creates may be refused, because they wait for too long.
      const load = { kind: 'create', connections, seconds, tokens: [greedy], mayBeRefused: 1 } as const;
      const beside = send(address, { ...load, firstId: unusedIds() });
      const creating = oneAtATime(creates, quiet, seconds);
      const [latencies] = await Promise.all([creating, beside]).finally(() => creates.close());
      return latencies;
    },
  };
}

/**
 * @returns the latencies in milliseconds
 * @throws {FailedLoadError} if a create is refused
 */
async function oneAtATime(creates: Creates, token: string, seconds: number): Promise<number[]> {
  const latencies: number[] = [];
  const begin = performance.now();
  let elapsedMs = 0;
  for (let id = unusedIds(); elapsedMs < 1_000 * seconds; id++) {
    const ms = await create(creates, token, id);
    if (elapsedMs >= 1_000 * openingSeconds) latencies.push(ms);
    elapsedMs = performance.now() - begin;
  }
  if (latencies.length === 0) {
    throw new FailedLoadError(`The quiet owner was served only in the first ${openingSeconds} s.`);
  }
  return latencies;
}

/** @returns the latency in milliseconds */
async function create(creates: Creates, token: string, id: number): Promise<number> {
  const { status, ms } = await creates.send(token, id);
  if (status !== 200) throw new FailedLoadError(`The quiet owner was answered by ${status}.`);
  return ms;
}
