/** The service in a memory cgroup, as in a container: PostgreSQL and the clients are outside of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { service } from '../contestants.js';
import { BenchDatabase } from '../database.js';
import { FailedLoadError } from '../load.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import { Server } from '../server.js';
import type { Session } from '../session.js';
import { lacksWrk } from '../shares/with-wrk.js';
import { unknown } from './checks.js';
import { loads, type MemoryLoad } from './loads.js';
import { MemoryGroup, NoMemoryGroupError } from './memory-group.js';
import { createBeside, type Service } from './other-owner.js';

export const limitMB = 512;
/**
 * A process that was ended, by the kernel or by V8, would have taken more: it counts as so many megabytes.
 */
const endedMB = 2 * limitMB;
/** In which the end of the process is noticed, after its connections broke. */
const noticeMs = 1_000;
const settings = { ADMIN_PORT: '0' };
const title = `In a memory cgroup of ${limitMB} MB`;

interface Figures extends Service {
  /** Megabytes of the cgroup, and what was resident of the process. */
  readonly peak: number;
  readonly resident: number;
  readonly sockets: number;
  /** Answers of the load in a second; NaN if it does not wait for them. */
  readonly answers: number;
  readonly refused: number;
  readonly longLists: number;
  readonly kills: number;
}

/** Each load meets a new process, and an empty database unless it prepares one. */
export async function measureMemory(session: Session): Promise<Measured[]> {
  if (lacksWrk(session, 'memory') || !(await canLimit(session))) return [];
  const entrants = loads.map((load): Entrant<Figures> => entrantOf(session, load));
  const measured = await inRounds(title, entrants, session);
  const figure = (
    name: string,
    of: string,
    unit: Measured['unit'],
    pick: (figures: Figures) => number,
  ): Measured => ({
    ...{ name, unit, title: `${title}: ${of}` },
    ...{ better: unit === '%' || unit === 'per second' ? 'more' : 'less', series: seriesOf(measured, pick) },
  });
  return [
    figure('memory-peak', 'peak of the cgroup', 'MB', ({ peak }) => peak),
    figure('memory-resident', 'peak of what is resident', 'MB', ({ resident }) => resident),
    figure(
      'memory-sockets',
      'peak of socket buffers, if the cgroup counts them apart',
      'MB',
      (all) => all.sockets,
    ),
    figure('memory-answers', 'answers of the load', 'per second', ({ answers }) => answers),
    {
      ...figure('memory-refused', 'its requests that were refused', 'per second', ({ refused }) => refused),
      better: 'less',
    },
    {
      ...figure('memory-long-lists', 'still being read at the end', 'lists', (all) => all.longLists),
      better: 'more',
    },
    figure('memory-kills', 'ended by the kernel', 'kills', ({ kills }) => kills),
    figure('memory-other', "another owner's creates that were carried out", '%', (all) => all.carriedOut),
    figure('memory-other-answered', 'the same, carried out or refused by a 503', '%', (all) => all.answered),
    figure('memory-other-worst', "another owner's longest wait", 'ms', ({ longest }) => longest),
  ];
}

async function canLimit({ cleanup, missing }: Session): Promise<boolean> {
  try {
    const group = await MemoryGroup.open(cleanup, limitMB * 1e6);
    await group.remove();
    return true;
  } catch (error) {
    if (!(error instanceof NoMemoryGroupError)) throw error;
    missing.push(`memory: ${error.message}`);
    return false;
  }
}

function entrantOf(session: Session, load: MemoryLoad): Entrant<Figures> {
  const { cleanup, postgres, tokens } = session;
  return {
    ...{ name: load.name, title: load.title, warmUp: null },
    async measure() {
      const database = await BenchDatabase.create(postgres, tokens);
      await load.prepare?.(database);
      const group = await MemoryGroup.open(cleanup, limitMB * 1e6);
      const server = await Server.start(cleanup, group.command(service.command), database.url, settings);
      const served = await underLoad(session, load, server);
      const resident = ((await server.memory())?.peak ?? endedMB * 1e6) / 1e6;
      const peak = served.isEnded ? endedMB : (await group.peak()) / 1e6;
      const [sockets, kills] = [(await group.socketsPeak()) / 1e6, await group.kills()];
      await server.stop();
      await group.remove();
      return { ...served, peak, resident, sockets, kills };
    },
  };
}

/** The load, with the other owner beside it. */
async function underLoad({ options, send, tokens }: Session, load: MemoryLoad, server: Server) {
  const [otherToken = '', ...others] = tokens;
  const { address, adminAddress = '' } = server;
  let isEnded = false;
  server.ended.then(() => {
    isEnded = true;
  });
  const end = new AbortController();
  const beside = createBeside(address, otherToken, end.signal);
  const begin = performance.now();
  const target = { address, adminAddress, tokens: others, send, seconds: options.seconds };
  const outcome = await load
    .run(target)
    .catch(async (error) => {
      if (!(error instanceof FailedLoadError)) throw error;
      await Promise.race([server.ended, pause(noticeMs)]);
      // That the service was ended is a figure, and not a failure of the benchmark.
      if (isEnded) return unknown;
      throw new FailedLoadError(`${load.title}: ${error.message}`);
    })
    .finally(() => end.abort());
  const seconds = (performance.now() - begin) / 1_000;
  const rates = { answers: outcome.answers / seconds, refused: outcome.refused / seconds };
  return { ...(await beside), ...rates, longLists: outcome.longLists, isEnded };
}
