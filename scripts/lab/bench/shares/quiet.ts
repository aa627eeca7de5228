/** Measures an owner who creates one plant after the other, beside another one with many connections. */

import { FailedLoadError, unusedIds } from '../../../kit/load.js';
import { serviceAndByHand } from '../contestants.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import { owners, type Running, type Session, withContestants } from '../session.js';
import { type Answer, createRequest, LoadConnection } from './connection.js';
import { type Latencies, latenciesOf } from './latencies.js';
import { openingSeconds } from './opening.js';

const greedyCounts = [500];
const title = "A quiet owner's creates";
/**
 * All creates may be refused, because on a slow machine those of thousands of connections wait for too long.
 */
const creates = { kind: 'create', mayBeRefused: 1 } as const;

interface Figures extends Latencies {
  /** The greedy owner's creates per second, without the refused ones. */
  readonly beside: number;
  readonly refused: number;
  readonly alone: number;
}

export async function measureQuiet(session: Session): Promise<Measured[]> {
  return withContestants(session, { only: serviceAndByHand }, async (all) => {
    const counts = session.options.connections ?? greedyCounts;
    const entrants = counts.flatMap((count, index) =>
      all.map((running) => ({
        ...entrantOf(session, running, count),
        // The first load has warmed the servers up.
        ...(index > 0 && { warmUp: null }),
      })),
    );
    const measured = await inRounds(title, entrants, session);
    const axis = "the greedy owner's connections";
    const latency = (name: string, of: string, pick: (figures: Figures) => number): Measured => ({
      ...{ name, axis, title: `${title} beside a greedy one: latency, ${of}` },
      ...{ unit: 'ms', better: 'less', series: seriesOf(measured, pick) },
    });
    const rate = (name: string, how: string, pick: (figures: Figures) => number): Measured => ({
      ...{ name, axis, title: `A greedy owner's creates per second, ${how}` },
      ...{ unit: 'per second', better: 'more', series: seriesOf(measured, pick) },
    });
    return [
      latency('quiet-p50', 'median', ({ p50 }) => p50),
      latency('quiet-p99', '99th percentile', ({ p99 }) => p99),
      rate('greedy-beside', 'beside a quiet one', ({ beside }) => beside),
      rate('greedy-alone', 'alone', ({ alone }) => alone),
      {
        ...rate('greedy-refused', 'beside a quiet one, that were refused', ({ refused }) => refused),
        better: 'less',
      },
    ];
  });
}

function entrantOf(
  { options, send, tokens }: Session,
  { contestant: { name, title }, server: { address }, database }: Running,
  connections: number,
): Entrant<Figures> {
  const [quietToken = '', greedyToken = ''] = tokens;
  const opening = openingSeconds(connections);
  // The quiet owner creates while the connections open, too. Otherwise the greedy one would have the service
  // for itself then.
  const greedy = (seconds = opening + options.seconds) =>
    send(address, { ...creates, connections, seconds, firstId: unusedIds(), tokens: [greedyToken] });
  const alone = async () => ({ alone: (await greedy()).perSecond });
  const beside = async () => {
    const connection = await LoadConnection.open(address);
    const begin = performance.now();
    const window = { from: begin + opening * 1_000, until: begin + (opening + options.seconds) * 1_000 };
    const ask = (id: number) => connection.ask(createRequest(quietToken, id));
    const all = Promise.all([greedy(), oneAtATime(ask, window)]).finally(() => connection.close());
    const [{ perSecond, refusedPerSecond = 0 }, answers] = await all;
    return { beside: perSecond, refused: refusedPerSecond, ...latenciesOf(answers) };
  };
  const prepare = () => database.fill(0, owners);
  return {
    ...{ name, title, at: connections },
    prepare,
    warmUp: () => greedy(opening + options.warmUpSeconds),
    async measure(round) {
      if (round % 2 === 0) {
        const first = await alone();
        await prepare();
        return { ...first, ...(await beside()) };
      }
      const first = await beside();
      await prepare();
      return { ...first, ...(await alone()) };
    },
  };
}

/** @returns the answers that came after the first moment, to requests that were sent before the second one */
async function oneAtATime(
  ask: (id: number) => Promise<Answer>,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let id = unusedIds(); performance.now() < until; id++) {
    const answer = await ask(id);
    if (answer.status !== 200) throw new FailedLoadError(`The quiet owner was answered by ${answer.status}.`);
    if (performance.now() >= from) answers.push(answer);
  }
  return answers;
}
