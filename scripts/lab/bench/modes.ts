/** The modes of `npm run bench`, with the amounts that the command line can override. */
import { service } from './contestants.js';
import { measureRest } from './costs/at-rest.js';
import { measureCpu } from './costs/cpu.js';
import { measureStart } from './costs/start.js';
import { measureListSizes } from './growth/list-sizes.js';
import { measureDeployments } from './haproxy/measure.js';
import { measureLists } from './lists.js';
import { measureNetwork } from './network/network.js';
import { contestantsOfPeers, measurePeers } from './peers.js';
import { measureQuick, reference } from './quick.js';
import type { Measured, Results } from './results.js';
import { connections, owners, type Session, watchStrangers } from './session.js';
import { measureOverload } from './shares/overload.js';
import { measureQuiet } from './shares/quiet.js';

type Measures = Readonly<Record<string, (session: Session) => Promise<Measured[]>>>;

export interface Mode {
  readonly name: string;
  readonly title: string;
  readonly measures: Measures;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** How often a measure takes figures again because other programs were busy. */
  readonly maxRepeats: number;
  /** The names of the contestants that take part; all take part if it is left out. */
  readonly contestants?: readonly string[];
}

const peers: Mode = {
  name: 'peers',
  title: 'The service beside its peers: the same work, and bare',
  measures: { peers: measurePeers },
  rounds: 2,
  seconds: 1,
  warmUpSeconds: 3,
  maxRepeats: 12,
  contestants: contestantsOfPeers,
};

const lists: Mode = {
  name: 'lists',
  title: 'Long lists',
  measures: { list: measureLists, sizes: measureListSizes },
  rounds: 3,
  seconds: 2,
  warmUpSeconds: 2,
  maxRepeats: 10,
};

const costs: Mode = {
  name: 'costs',
  title: 'What the service needs: CPU time, memory at rest, time to start',
  measures: { cpu: measureCpu, rest: measureRest, start: measureStart },
  rounds: 5,
  seconds: 2,
  warmUpSeconds: 4,
  maxRepeats: 20,
};

const network: Mode = {
  name: 'network',
  title: 'The service with a network before PostgreSQL',
  measures: { network: measureNetwork },
  rounds: 5,
  seconds: 1,
  warmUpSeconds: 2,
  maxRepeats: 20,
};

const shares: Mode = {
  name: 'shares',
  title: 'What each client gets if others want much',
  measures: { quiet: measureQuiet, overload: measureOverload },
  rounds: 3,
  seconds: 5,
  warmUpSeconds: 3,
  maxRepeats: 10,
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
  warmUpSeconds: 3,
  maxRepeats: 6,
};

const quick: Mode = {
  name: 'quick',
  title: 'The ratios of throughputs, in short',
  measures: { quick: measureQuick },
  rounds: 2,
  seconds: 1,
  warmUpSeconds: 3,
  maxRepeats: 12,
  contestants: [service.name, reference],
};

export const modes = { peers, lists, costs, shares, haproxy, network, quick };
/** What `npm run bench` measures if no mode is asked for: everything but the guard. */
export const reportedModes: readonly Mode[] = [peers, lists, costs, shares, haproxy, network];
export const measureNames = reportedModes.flatMap(({ measures }) => Object.keys(measures));

/** Takes the measures of the mode that are asked for. */
export async function measure({ title, measures, maxRepeats }: Mode, session: Session): Promise<Results> {
  const { conditions, missing, options, postgres } = session;
  const runs: Record<string, string> = {};
  const measured: Measured[] = [];
  for (const [name, take] of Object.entries(measures)) {
    if (!options.wants(name)) continue;
    const strangers = await watchStrangers(postgres, maxRepeats);
    measured.push(...(await take({ ...session, strangers })));
    runs[name] =
      `${options.rounds} rounds of ${options.seconds} s after ${options.warmUpSeconds} s to warm up, wrk, ` +
      `${connections} connections unless others are named, ${owners} owners; ${strangers.report}.`;
  }
  return { title, conditions, runs, missing, measured };
}
