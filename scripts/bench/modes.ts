/** The modes of `npm run bench`, with the amounts that the command line can override. */
import { measureListSizes } from './growth/list-sizes.js';
import { measureHalfLoad, measureOwners } from './growth/load-shapes.js';
import { measureStored } from './growth/stored.js';
import { measureLists } from './lists.js';
import { measureLoads } from './loads.js';
import { measureCreates, measureDeletes, measurePages } from './measures.js';
import { measureReplicas } from './replicas.js';
import type { Measured, Results } from './results.js';
import type { Session } from './session.js';

type Measures = Readonly<Record<string, (session: Session) => Promise<Measured[]>>>;

export interface Mode {
  readonly name: string;
  readonly title: string;
  readonly measures: Measures;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
}

const short: Measures = { creates: measureCreates, deletes: measureDeletes, page: measurePages };

const contestants: Mode = {
  name: 'contestants',
  title: 'The service beside its peers and its limits',
  measures: { ...short, list: measureLists },
  rounds: 7,
  seconds: 2,
  warmUp: 5,
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
};

const loads: Mode = {
  name: 'loads',
  title: 'The service from one connection to a thousand',
  measures: {
    'creates-by-connections': measureLoads('create'),
    'deletes-by-connections': measureLoads('delete'),
    'pages-by-connections': measureLoads('page'),
    'mix-by-connections': measureLoads('mix'),
  },
  rounds: 5,
  seconds: 1,
  warmUp: 2,
};

const replicas: Mode = {
  name: 'replicas',
  title: 'The service as one process, and as two behind HAProxy',
  measures: {
    'creates-by-processes': measureReplicas('create'),
    'deletes-by-processes': measureReplicas('delete'),
    'pages-by-processes': measureReplicas('page'),
    'mixes-by-processes': measureReplicas('mix'),
  },
  rounds: 3,
  seconds: 2,
  warmUp: 4,
};

const quick: Mode = {
  name: 'quick',
  title: 'The ratios of throughputs, in short',
  measures: short,
  rounds: 2,
  seconds: 1,
  warmUp: 2,
};

export const modes = { contestants, growth, loads, replicas, quick };

export const measureNames = [contestants, growth, loads, replicas].flatMap(({ measures }) =>
  Object.keys(measures),
);

/** Takes the measures of the mode that are asked for. */
export async function measure({ title, measures }: Mode, session: Session): Promise<Results> {
  const { conditions, missing, options } = session;
  const results: Results = { title, conditions, missing, measured: [] };
  for (const [name, take] of Object.entries(measures)) {
    if (options.wants(name)) results.measured.push(...(await take(session)));
  }
  return results;
}
