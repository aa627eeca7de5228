/** The modes of `npm run bench`, with the amounts that the command line can override. */
import { service } from './contestants.js';
import { measureRest } from './costs/at-rest.js';
import { measureBodies } from './costs/bodies.js';
import { measureCpu } from './costs/cpu.js';
import { measureMetrics } from './costs/metrics.js';
import { measureStart } from './costs/start.js';
import { measureListSizes } from './growth/list-sizes.js';
import { measureHalfLoad, measureOwners } from './growth/load-shapes.js';
import { measureStored } from './growth/stored.js';
import { measureDeployments } from './haproxy/measure.js';
import { measureLists } from './lists.js';
import { measuresOfLoads } from './loads.js';
import { measureCreates, measureDeletes, measurePages } from './measures.js';
import { measureMemory } from './memory/memory.js';
import { measureNetwork } from './network/network.js';
import { contestantsOfPeers, measurePeers } from './peers.js';
import { measureQuick, reference } from './quick.js';
import type { Measured, Results } from './results.js';
import { connections, owners, type Session, watchStrangers } from './session.js';
import { measureArrivals } from './shares/arrivals.js';
import { measureBurst } from './shares/burst.js';
import { measureOverload } from './shares/overload.js';
import { measureQuiet } from './shares/quiet.js';
import { measureSingle } from './shares/single.js';

type Measures = Readonly<Record<string, (session: Session) => Promise<Measured[]>>>;

export interface Mode {
  readonly name: string;
  readonly title: string;
  readonly measures: Measures;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  /** How often a measure takes figures again because other programs were busy. */
  readonly patience: number;
  /** Only these take part; all if it is left out. */
  readonly contestants?: readonly string[];
}

const contestants: Mode = {
  name: 'contestants',
  title: 'The service beside its peers and its limits',
  measures: { creates: measureCreates, deletes: measureDeletes, page: measurePages, list: measureLists },
  rounds: 7,
  seconds: 2,
  warmUp: 5,
  patience: 20,
};

const loads: Mode = {
  name: 'loads',
  title: 'The service from one connection to a thousand',
  measures: measuresOfLoads(),
  rounds: 3,
  seconds: 1,
  // A server meets this once for each number of connections.
  warmUp: 1,
  patience: 40,
};

const costs: Mode = {
  name: 'costs',
  title: 'What the service needs: CPU time, memory, time to start',
  measures: {
    cpu: measureCpu,
    rest: measureRest,
    start: measureStart,
    bodies: measureBodies,
    metrics: measureMetrics,
  },
  rounds: 5,
  seconds: 2,
  warmUp: 4,
  patience: 20,
};

const network: Mode = {
  name: 'network',
  title: 'The service with a network before PostgreSQL',
  measures: { network: measureNetwork },
  rounds: 5,
  seconds: 1,
  warmUp: 2,
  patience: 20,
};

const shares: Mode = {
  name: 'shares',
  title: 'What each client gets if others want much',
  measures: {
    quiet: measureQuiet,
    burst: measureBurst,
    arrivals: measureArrivals,
    single: measureSingle,
    overload: measureOverload,
  },
  rounds: 3,
  seconds: 5,
  warmUp: 3,
  patience: 10,
};

const memory: Mode = {
  name: 'memory',
  title: 'The service in 512 MB of memory',
  measures: { memory: measureMemory },
  rounds: 1,
  seconds: 10,
  // Each load meets a new process.
  warmUp: 0,
  patience: 0,
  contestants: [service.name],
};

const growth: Mode = {
  name: 'growth',
  title: 'The service as the work grows',
  measures: {
    owners: measureOwners,
    half: measureHalfLoad,
    sizes: measureListSizes,
    stored: measureStored,
  },
  rounds: 3,
  seconds: 2,
  warmUp: 2,
  // A store that grew by a load would have other plants the next time.
  patience: 0,
};

const haproxy: Mode = {
  name: 'haproxy',
  title: 'The service behind HAProxy',
  measures: {
    'creates-by-deployment': measureDeployments('create'),
    'deletes-by-deployment': measureDeployments('delete'),
    'pages-by-deployment': measureDeployments('page'),
    'mixes-by-deployment': measureDeployments('mix'),
  },
  rounds: 3,
  seconds: 2,
  warmUp: 3,
  patience: 6,
};

const peers: Mode = {
  name: 'peers',
  title: 'The service beside its peers: the same work, and bare',
  measures: { peers: measurePeers },
  rounds: 2,
  seconds: 1,
  warmUp: 3,
  patience: 12,
  contestants: contestantsOfPeers,
};

const quick: Mode = {
  name: 'quick',
  title: 'The ratios of throughputs, in short',
  measures: { quick: measureQuick },
  rounds: 2,
  seconds: 1,
  warmUp: 3,
  patience: 12,
  contestants: [service.name, reference],
};

export const modes = { contestants, loads, costs, network, shares, memory, growth, haproxy, peers, quick };
/** What is measured if no mode is asked for: all that has goals, except the growth. */
export const usualModes: readonly Mode[] = [contestants, loads, costs, network, shares, memory];
export const reportedModes: readonly Mode[] = [...usualModes, growth];
export const measureNames = [...reportedModes, haproxy, peers].flatMap(({ measures }) =>
  Object.keys(measures),
);

/** Takes the measures of the mode that are asked for. */
export async function measure({ title, measures, patience }: Mode, session: Session): Promise<Results> {
  const { conditions, generator, missing, options, postgres } = session;
  const runs: Record<string, string> = {};
  const measured: Measured[] = [];
  for (const [name, take] of Object.entries(measures)) {
    if (!options.wants(name)) continue;
    const strangers = await watchStrangers(postgres, patience);
    measured.push(...(await take({ ...session, strangers })));
    runs[name] =
      `${options.rounds} rounds of ${options.seconds} s after ${options.warmUp} s to warm up, ${generator}, ` +
      `${connections} connections unless others are named, ${owners} owners; ${strangers.report}.`;
  }
  return { title, conditions, runs, missing, measured };
}
