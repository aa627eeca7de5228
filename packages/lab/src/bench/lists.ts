/**
 * Measures a long list, beside psql's COPY of the same rows, which is as fast as PostgreSQL can give them.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { ProgramError, run } from '../../../kit/index.js';
import { before, byHand, findTool, service } from './contestants.js';
import { BenchDatabase, plant } from './database.js';
import { type Entrant, figureOf, inRounds, type Measured } from './rounds.js';
import { type Running, type Session, withContestants } from './session.js';
import { FailedLoadError } from './wrk.js';

const copy = 'copy';
const timeoutMs = 300_000;
/** The first lists of a server take half as long again, until V8 has compiled the code. */
const listsToWarmUp = 4;
const plantBytes = JSON.stringify(plant).length;

/** One reading of the list. The figures of psql are NaN, except the time. */
interface Outcome {
  readonly timeMs: number;
  readonly firstByteMs: number;
  /** The memory that the server took in addition to what it takes when it is idle. */
  readonly megabytes: number;
}

export async function measureLists(session: Session): Promise<Measured[]> {
  const { options, postgres, progress } = session;
  const shared = await BenchDatabase.create(postgres);
  progress.show(`storing ${options.plants.toLocaleString('en')} plants`);
  await shared.fill(options.plants, 1);
  return withContestants(session, { shared, only: [service.name, before, byHand] }, async (all) => {
    const entrants: Entrant<Outcome>[] = [];
    for (const running of all) entrants.push(await reading(running, options.plants));
    entrants.push(...(await copying(session, shared)));
    const steps = [await inRounds(session, 'A long list', options.plants, entrants)];
    const about = (name: string, title: string) => ({ name, title, axis: 'plants' });
    return [
      figureOf(about('list', 'A whole list, ms'), steps, ({ timeMs }) => timeMs),
      figureOf(about('list-first-byte', 'A whole list: first byte, ms'), steps, (one) => one.firstByteMs),
      figureOf(about('list-memory', 'A whole list: memory above idle, MB'), steps, (one) => one.megabytes),
    ];
  });
}

async function reading({ contestant, server, database }: Running, plants: number): Promise<Entrant<Outcome>> {
  const { name, title } = contestant;
  const idle = await server.memory();
  const measure = async () => {
    await server.resetPeak();
    const times = await readWhole(server.address, database.tokens[0] ?? '', plants);
    const now = await server.memory();
    const megabytes = now === undefined || idle === undefined ? Number.NaN : (now.peak - idle.now) / 1e6;
    return { ...times, megabytes };
  };
  for (let lists = 0; lists < listsToWarmUp; lists++) await measure();
  return { name, title, measure };
}

/**
 * Reads a whole list of this many plants, as fast as it comes.
 *
 * @throws {FailedLoadError} if it is not whole
 */
async function readWhole(address: string, token: string, plants: number) {
  const start = performance.now();
  const request = get(`${address}/plants`, {
    headers: { authorization: `Bearer ${token}` },
    timeout: timeoutMs,
  });
  request.on('timeout', () => request.destroy(new Error(`The list took longer than ${timeoutMs / 1000} s.`)));
  const answers: IncomingMessage[] = await once(request, 'response');
  let [firstByteMs, bytes, end] = [0, 0, ''];
  for (const answer of answers) {
    for await (const chunk of answer) {
      if (bytes === 0) firstByteMs = performance.now() - start;
      bytes += chunk.length;
      end = chunk.subarray(-1).toString('latin1');
    }
  }
  const timeMs = performance.now() - start;
  if (bytes < plants * plantBytes || end !== ']') {
    throw new FailedLoadError(`The list ended after ${bytes} bytes, and not in a bracket.`);
  }
  return { timeMs, firstByteMs };
}

/** Reads the same rows with psql, and throws them away. The time is without the start of psql. */
async function copying({ cleanup, missing }: Session, { url }: BenchDatabase): Promise<Entrant<Outcome>[]> {
  const psql = await findTool('psql');
  if (psql === undefined) {
    missing.push(`${copy}: psql is not on this machine (Debian: postgresql-client).`);
    return [];
  }
  const statement =
    "\\copy (SELECT name, tag FROM plants WHERE owner = 'owner-0' ORDER BY id) TO '/dev/null'";
  const parameters = ['--no-psqlrc', '--command=\\timing on', `--command=${statement}`, url];
  const measure = async () => {
    const output = await run(cleanup, psql, parameters, { timeoutMs, env: { LC_ALL: 'C' } });
    const timeMs = Number(/^Time: ([0-9.]+) ms/m.exec(output)?.[1]);
    if (!(timeMs > 0)) throw new ProgramError(`psql does not say how long it took:\n${output}`);
    return { timeMs, firstByteMs: Number.NaN, megabytes: Number.NaN };
  };
  return [{ name: copy, title: "psql's COPY", measure }];
}
