/** `npm run simulate -- --measure`: creates of the real service in an open loop, for `--compare`. */
import { setTimeout as pause } from 'node:timers/promises';
import { Cleanup } from '../bench/cleanup.js';
import { service } from '../bench/contestants.js';
import { BenchDatabase } from '../bench/database.js';
import { FailedLoadError, unusedIds } from '../bench/load.js';
import { Progress } from '../bench/progress.js';
import { Server } from '../bench/server.js';
import { openSession, owners, type Session } from '../bench/session.js';
import { type Answer, createRequest } from '../bench/shares/connection.js';
import { ConnectionPool } from '../bench/shares/connection-pool.js';
import { latenciesOf } from '../bench/shares/latencies.js';
import { summarize } from '../bench/statistics.js';
import { Random } from '../survive/random.js';
import type { OpenRun } from './measured.js';

/** Creates a second. */
const rates = [1_000, 4_000, 8_000];
const options = {
  rounds: 3,
  seconds: 5,
  warmUp: 4,
  plants: 0,
  databaseUrl: undefined,
  connections: undefined,
};
/** More than are ever under way, unless the service cannot keep up. */
const connections = 500;

/** The medians of all rounds. */
export async function measureOpenLoop(): Promise<OpenRun[]> {
  const cleanup = new Cleanup();
  cleanup.beforeExit();
  try {
    const wants = (name: string) => name === service.name;
    const session = await openSession({ ...options, wants }, cleanup, new Progress());
    const database = await BenchDatabase.create(session.postgres, session.tokens);
    const server = await Server.start(cleanup, service.command, database.url, { ADMIN_PORT: '0' });
    const pool = await ConnectionPool.open(server.address, connections);
    cleanup.add(() => pool.close());
    const runs: OpenRun[][] = rates.map(() => []);
    for (let round = 0; round <= options.rounds; round++) {
      for (const [at, rate] of rates.entries()) {
        await database.fill(0, owners);
        const run = await runOnce(session, server, pool, { rate, round });
        if (round > 0) runs[at]?.push(run);
        session.progress.done(`${rate} creates a second, ${round === 0 ? 'to warm up' : `round ${round}`}`);
      }
    }
    return runs.map(medianOf);
  } finally {
    await cleanup.run();
  }
}

async function runOnce(
  { tokens }: Session,
  server: Server,
  pool: ConnectionPool,
  { rate, round }: { readonly rate: number; readonly round: number },
): Promise<OpenRun> {
  const isWarmUp = round === 0;
  const seconds = isWarmUp ? options.warmUp : options.seconds;
  const { host } = new URL(server.address);
  const firstId = unusedIds();
  const before = { batches: await batchesOf(server), cpu: process.cpuUsage() };
  const answers = await atPoissonMoments({ rate, seconds, seed: rate + round }, (number) =>
    pool.ask(createRequest(host, tokens[number % tokens.length] ?? '', firstId + number)),
  );
  const { user, system } = process.cpuUsage(before.cpu);
  const after = await batchesOf(server);
  const inTime = answers.filter(({ isInTime }) => isInTime).length;
  const refused = answers.filter(({ status }) => status !== 200).length;
  // A service that is not warm yet may refuse some.
  if (refused > 0 && !isWarmUp)
    throw new FailedLoadError(`Of ${answers.length} creates, ${refused} were refused.`);
  return {
    ...{ rate, owners, perSecond: inTime / seconds, ...latenciesOf(answers) },
    batch: (after.requests - before.batches.requests) / (after.statements - before.batches.statements),
    client: (user + system) / answers.length,
  };
}

interface Load {
  readonly rate: number;
  readonly seconds: number;
  readonly seed: number;
}

interface OpenAnswer extends Answer {
  /** Whether it came before the load ended. */
  readonly isInTime: boolean;
}

/**
 * The timer of Node.js wakes each millisecond, and then sends all that is due. An answer's time begins at its
 * Poisson moment, so that a sender that is late hides nothing.
 */
async function atPoissonMoments(
  { rate, seconds, seed }: Load,
  task: (number: number) => Promise<Answer>,
): Promise<OpenAnswer[]> {
  const random = new Random(seed);
  const tasks: Promise<OpenAnswer>[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1_000;
  const ask = async (number: number, moment: number): Promise<OpenAnswer> => {
    const { status } = await task(number);
    const now = performance.now();
    return { status, ms: now - moment, isInTime: now < end };
  };
  let due = begin + random.exponential(1_000 / rate);
  while (due < end) {
    while (due <= Math.min(performance.now(), end)) {
      const started = ask(tasks.length, due);
      // The failure is thrown below, once all are started.
      started.catch(() => {});
      tasks.push(started);
      due += random.exponential(1_000 / rate);
    }
    await pause(1);
  }
  return Promise.all(tasks);
}

/** Requests that shared a statement, and these statements, since the start. */
async function batchesOf({ adminAddress }: Server): Promise<{ requests: number; statements: number }> {
  const text = await (await fetch(`${adminAddress}/metrics`)).text();
  const figure = (name: string) =>
    Number(new RegExp(`^plant_store_batch_size_${name}\\{work="create"\\} (.*)$`, 'm').exec(text)?.[1]);
  return { requests: figure('sum') || 0, statements: figure('count') || 0 };
}

function medianOf(runs: readonly OpenRun[]): OpenRun {
  const median = (pick: (run: OpenRun) => number, digits: number) =>
    Number((summarize(runs.map(pick))?.median ?? Number.NaN).toFixed(digits));
  const [first] = runs;
  return {
    ...{ rate: first?.rate ?? 0, owners },
    perSecond: median(({ perSecond }) => perSecond, 0),
    ...{ p50: median(({ p50 }) => p50, 1), p99: median(({ p99 }) => p99, 1) },
    ...{ batch: median(({ batch }) => batch, 1), client: median(({ client }) => client, 0) },
  };
}
