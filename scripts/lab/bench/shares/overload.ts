/** Sends creates at fixed rates, which are higher than what a slow database can do. */
import { setTimeout as pause } from 'node:timers/promises';
import { FailedLoadError, unusedIds } from '../../../kit/load.js';
import { service } from '../contestants.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import { owners, type Running, type Session, withContestants } from '../session.js';
import { type Answer, createRequest } from './connection.js';
import { ConnectionPool } from './connection-pool.js';
import { type Latencies, latenciesOf } from './latencies.js';
import { type Probes, startProbes } from './probes.js';
import { atSteadyRate, type Rate } from './steady-rate.js';

/** Creates a second: two, five and ten times the 400 that the slow database does in eight batches. */
const overloads = [800, 2_000, 4_000];
const rowMs = 20;
const connections = 4_000;
/** How long the service is under load before the probes begin. These creates count, too. */
const openingSeconds = 1;
const title = `Creates at a fixed rate over ${connections.toLocaleString('en')} connections, ${rowMs} ms for each row`;

interface Figures extends Probes {
  readonly accepted: Latencies & { readonly perSecond: number };
  readonly refused: Latencies & { readonly perSecond: number };
}

/** The load comes from Node.js, because wrk does not tell the latencies of refused requests from others'. */
export async function measureOverload(session: Session): Promise<Measured[]> {
  const cast = { only: [service.name], settings: { ADMIN_PORT: '0' } };
  return withContestants(session, cast, async (all) => {
    for (const { database } of all) await database.slowDown(rowMs);
    const entrants = overloads.flatMap((rate, index) =>
      all.map((running) => ({
        ...entrantOf(session, running, rate),
        // The first load has warmed the server up.
        ...(index > 0 && { warmUp: null }),
      })),
    );
    return toMeasured(await inRounds(title, entrants, session));
  });
}

function toMeasured(measured: Parameters<typeof seriesOf<Figures>>[0]): Measured[] {
  const common = (name: string, of: string) => ({
    ...{ name: `overload-${name}`, title: `${title}: ${of}`, axis: 'creates sent a second' },
  });
  const rate = (name: 'accepted' | 'refused', better: Measured['better']): Measured => ({
    ...common(name, `${name} per second`),
    ...{ unit: 'per second', better, series: seriesOf(measured, (figures) => figures[name].perSecond) },
  });
  const latency = (name: string, of: string, pick: (figures: Figures) => number): Measured => ({
    ...common(name, of),
    ...{ unit: 'ms', better: 'less', series: seriesOf(measured, pick) },
  });
  return [
    rate('accepted', 'more'),
    rate('refused', 'less'),
    latency('accepted-p50', 'accepted, median', ({ accepted }) => accepted.p50),
    latency('accepted-p99', 'accepted, 99th percentile', ({ accepted }) => accepted.p99),
    latency('refused-p50', 'refused, median', ({ refused }) => refused.p50),
    latency('live-p99', '/live, 99th percentile', ({ live }) => live.p99),
    latency('ready-p99', '/ready of the admin port, 99th percentile', ({ ready }) => ready.p99),
  ];
}

function entrantOf(
  { cleanup, options, tokens }: Session,
  { contestant: { name, title }, server, database }: Running,
  perSecond: number,
): Entrant<Figures> {
  return {
    ...{ name, title, at: perSecond },
    prepare: () => database.fill(0, owners),
    async measure() {
      const seconds = openingSeconds + options.seconds;
      const probe = await startProbes(cleanup, server);
      const pool = await ConnectionPool.open(server.address, connections);
      const creating = createAtRate(pool, tokens, { perSecond, seconds });
      const probing = pause(openingSeconds * 1_000).then(() => probe(options.seconds));
      const all = Promise.all([probing, creating]).finally(() => pool.close());
      const [probes, answers] = await all;
      return { ...probes, ...split(answers, seconds) };
    },
  };
}

/** Sends creates of all these owners in turn, at a steady rate, however slow the answers are. */
function createAtRate(pool: ConnectionPool, tokens: readonly string[], rate: Rate): Promise<Answer[]> {
  const firstId = unusedIds();
  return atSteadyRate(rate, (number) =>
    pool.ask(createRequest(tokens[number % tokens.length] ?? '', firstId + number)),
  );
}

function split(answers: readonly Answer[], seconds: number): Pick<Figures, 'accepted' | 'refused'> {
  const withStatus = (wanted: number) => {
    const found = answers.filter(({ status }) => status === wanted);
    return { count: found.length, perSecond: found.length / seconds, ...latenciesOf(found) };
  };
  const [accepted, refused] = [withStatus(200), withStatus(503)];
  if (accepted.count === 0 || accepted.count + refused.count < answers.length) {
    throw new FailedLoadError(
      `Of ${answers.length} creates, ${accepted.count} were accepted and ${refused.count} refused.`,
    );
  }
  return { accepted, refused };
}
