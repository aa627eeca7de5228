/**
 * Measures the time from the start of a process to its first answer, and the memory that it holds at rest.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Server } from '../../../kit/index.js';
import { BenchDatabase } from './database.js';
import { type Entrant, figureOf, inRounds, type Measured } from './rounds.js';
import type { Session } from './session.js';
import { FailedLoadError } from './wrk.js';

/** How long an idle server has to collect its garbage. */
const restMs = 2_000;

interface Outcome {
  readonly startMs: number;
  /** The memory at rest, in units of 10^6 bytes. */
  readonly megabytes: number;
}

/** @throws {FailedLoadError} if a contestant answers its first request with a failure */
export async function measureStart(session: Session): Promise<Measured[]> {
  const { cleanup, contestants, postgres } = session;
  const { url, tokens } = await BenchDatabase.create(postgres);
  const entrants = contestants.map(
    ({ name, title, command }): Entrant<Outcome> => ({
      name,
      title,
      async measure() {
        const begin = performance.now();
        const server = await Server.start(cleanup, withoutOptions(command), url);
        const answer = await fetch(`${server.address}/plants?limit=20`, {
          headers: { authorization: `Bearer ${tokens[0]}` },
        });
        await answer.text();
        const startMs = performance.now() - begin;
        if (!answer.ok) throw new FailedLoadError(`The first answer was ${answer.status}.`);
        await pause(restMs);
        const megabytes = ((await server.memory())?.now ?? Number.NaN) / 1e6;
        await server.stop();
        return { startMs, megabytes };
      },
    }),
  );
  const steps = [await inRounds(session, 'Start', 1, entrants)];
  const about = (name: string, title: string) => ({ name, title, axis: 'processes' });
  return [
    figureOf(
      about('start', 'From the start of the process to its first answer, ms'),
      steps,
      (one) => one.startMs,
    ),
    figureOf(about('rest', 'Memory at rest, after one request, MB'), steps, ({ megabytes }) => megabytes),
  ];
}

/** Returns the command without the options of Node.js: `node dist/src/main.js`. */
function withoutOptions({ file, parameters }: Command): Command {
  return { file, parameters: parameters.filter((one) => !one.startsWith('--')) };
}
