/**
 * Measures two kinds of too much work: creates at fixed rates, which are higher than what a slow database can
 * do, and a quiet owner beside a greedy one.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Scope } from '../../../contract-tools/base.js';
import { end, ProgramError } from '../../../kit/index.js';
import { before, byHand, service } from './contestants.js';
import { type Answer, atSteadyRate, Creates } from './creates.js';
import { measureQuietOwner } from './quiet-owner.js';
import { type Entrant, figureOf, inRounds, type Measured, quantile, type Step } from './rounds.js';
import { type Running, type Session, withContestants } from './session.js';
import { FailedLoadError, unusedIds } from './wrk.js';

/** Creates a second: two, five and ten times the 400 that the slow database does in eight batches. */
const ratesPerSecond = [800, 2_000, 4_000];
const rowMs = 20;
const connections = 4_000;
/** The service is under load for this time before `/live` is asked. These creates count, too. */
const openingSeconds = 1;
const greedyConnections = 500;
const probe = fileURLToPath(import.meta.resolve('./probe.js'));

interface Outcome {
  readonly acceptedPerSecond: number;
  /** The 99th percentile of the accepted creates. */
  readonly acceptedMs: number;
  /** The 99th percentile of `/live`. */
  readonly liveMs: number;
}

export async function measureOverload(session: Session): Promise<Measured[]> {
  const measureQuiet = (all: readonly Running[]) => {
    const served = all.map(({ contestant: { name, title }, server: { address }, database }) => ({
      name,
      title,
      address,
      database,
    }));
    return measureQuietOwner(session, greedyConnections, served);
  };
  const quiet = await withContestants(session, { only: [service.name, before, byHand] }, measureQuiet);
  const rates = await withContestants(session, { only: [service.name, before] }, (all) =>
    measureRates(session, all),
  );
  return [...quiet, ...rates];
}

async function measureRates(session: Session, all: readonly Running[]): Promise<Measured[]> {
  for (const { database } of all) await database.slowDown(rowMs);
  const steps: Step<Outcome>[] = [];
  for (const rate of ratesPerSecond) {
    const entrants = all.map((running) => entrantOf(session, running, rate));
    steps.push(await inRounds(session, `${rate} creates a second, ${rowMs} ms for each row`, rate, entrants));
  }
  const about = (name: string, what: string) => ({
    name: `overload-${name}`,
    title: `Creates on ${connections.toLocaleString('en')} connections, ${rowMs} ms for each row: ${what}`,
    axis: 'creates sent a second',
  });
  return [
    figureOf(about('accepted', 'accepted a second'), steps, (one) => one.acceptedPerSecond),
    figureOf(about('accepted-p99', 'accepted, 99th percentile, ms'), steps, ({ acceptedMs }) => acceptedMs),
    figureOf(about('live-p99', '`/live`, 99th percentile, ms'), steps, ({ liveMs }) => liveMs),
  ];
}

function entrantOf(
  { cleanup, options }: Session,
  { contestant: { name, title }, server: { address }, database }: Running,
  perSecond: number,
): Entrant<Outcome> {
  const { tokens } = database;
  return {
    name,
    title,
    prepare: () => database.fill(0),
    async measure() {
      const seconds = openingSeconds + options.seconds;
      const askLive = await startProbe(cleanup, `${address}/live`);
      const creates = await Creates.open(address, connections);
      const firstId = unusedIds();
      const sending = atSteadyRate({ perSecond, seconds }, (number) =>
        creates.send(tokens[number % tokens.length] ?? '', firstId + number),
      );
      const asking = pause(1_000 * openingSeconds).then(() => askLive(options.seconds));
      const [answers, latencies] = await Promise.all([sending, asking]).finally(() => creates.close());
      const accepted = acceptedOf(answers);
      return {
        acceptedPerSecond: accepted.length / seconds,
        acceptedMs: quantile(accepted, 0.99),
        liveMs: quantile(latencies, 0.99),
      };
    },
  };
}

/** @returns the latencies of the accepted creates, in milliseconds */
function acceptedOf(answers: readonly Answer[]): number[] {
  const accepted = answers.filter(({ status }) => status === 200);
  const others = answers.filter(({ status }) => status !== 200 && status !== 503);
  if (accepted.length === 0 || others.length > 0) {
    const statuses = [...new Set(others.map(({ status }) => status))].join(', ') || 'no other status';
    throw new FailedLoadError(
      `Of ${answers.length} creates, ${accepted.length} were accepted, and ${others.length} were answered by ${statuses}.`,
    );
  }
  return accepted.map(({ ms }) => ms);
}

/**
 * @returns a function that asks the URL for a number of seconds, and returns the latencies in milliseconds
 */
async function startProbe(cleanup: Scope, url: string): Promise<(seconds: number) => Promise<number[]>> {
  const child = fork(probe, [url]);
  cleanup.teardown(() => end(child));
  const ended = once(child, 'exit').then(([code]) => {
    throw new ProgramError(`The process that asks /live ended with ${code}.`);
  });
  ended.catch(() => {});
  const message = async () => (await Promise.race([once(child, 'message'), ended]))[0];
  await message();
  return async (seconds) => {
    const latencies = message();
    child.send(seconds);
    // probe.ts sends its latencies in this form.
    return (await latencies) as number[];
  };
}
