/** How long a body keeps the service from everything else, by its shape. */
import { JsonError, parseJson } from '../../../src/contract/json.js';
import { service } from '../contestants.js';
import { BenchDatabase } from '../database.js';
import { firstAnswer } from '../first-answer.js';
import { FailedLoadError } from '../load.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import { Server } from '../server.js';
import type { Session } from '../session.js';
import { bodyRequest, Connection } from '../shares/connection.js';
import { summarize } from '../statistics.js';
import { bodyShapes } from './body-shapes.js';

const title = 'A body of 64 KiB';
const depth = 32;
/** So many are measured, after as many from which V8 learns. */
const repeats = 25;
/** As many of those that come first after a start. */
const beginning = 5;

/** Milliseconds. */
interface Figures {
  /** In the service's parser alone, the median. */
  readonly parse: number;
  /** From the first byte sent to the answer: the median, and the slowest of the first ones. */
  readonly answer: number;
  readonly first: number;
}

/** While the service works on a body, all others wait: nothing of it leaves the main thread. */
export async function measureBodies(session: Session): Promise<Measured[]> {
  const { cleanup, contestants, postgres, tokens } = session;
  if (!contestants.includes(service)) return [];
  const database = await BenchDatabase.create(postgres, tokens);
  const entrants = bodyShapes.map(
    ({ name, title, text }): Entrant<Figures> => ({
      ...{ name, title, warmUp: null },
      async measure() {
        // A new process, because the first bodies are the slowest.
        const server = await Server.start(cleanup, service.command, database.url);
        await firstAnswer(server.address, tokens);
        const times = await answerTimes(server.address, tokens[0] ?? '', text);
        await server.stop();
        return {
          parse: parseTime(text),
          answer: medianOf(times.slice(repeats)),
          first: Math.max(...times.slice(0, beginning)),
        };
      },
    }),
  );
  const measured = await inRounds(title, entrants, session);
  const figure = (name: string, of: string, pick: (figures: Figures) => number): Measured => ({
    ...{ name, title: `${title}: ${of}` },
    ...{ unit: 'ms', better: 'less', series: seriesOf(measured, pick) },
  });
  return [
    figure('bodies-parse', 'to parse it', ({ parse }) => parse),
    figure('bodies-answer', 'to answer it, as its client sees it', ({ answer }) => answer),
    figure('bodies-first', `the slowest of the first ${beginning} after a start`, ({ first }) => first),
  ];
}

function parseTime(text: string): number {
  const times = Array.from({ length: 2 * repeats }, () => {
    const begin = performance.now();
    try {
      parseJson(text, depth);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
    }
    return performance.now() - begin;
  });
  return medianOf(times.slice(repeats));
}

async function answerTimes(address: string, token: string, text: string): Promise<number[]> {
  const request = bodyRequest(new URL(address).host, token, text);
  const times: number[] = [];
  while (times.length < 2 * repeats) {
    // After a body that is not JSON, the service closes the connection.
    const connection = await Connection.open(address);
    const { status, ms } = await connection.ask(request).finally(() => connection.close());
    if (status !== 400) throw new FailedLoadError(`A body that fits nothing was answered by ${status}.`);
    times.push(ms);
  }
  return times;
}

function medianOf(times: readonly number[]): number {
  return summarize(times)?.median ?? Number.NaN;
}
