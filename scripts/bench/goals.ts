/** What the service shall reach, as ratios of figures of one run where that is possible. */
import { barePeers, service } from './contestants.js';
import { metricsCounts } from './costs/metrics.js';
import { besideBetterPeer, bySize, faster, type Goal, slower } from './goal.js';
import { memory } from './memory/goals.js';
import { networks } from './network/network.js';
import { ratiosOf, valuesOf } from './results.js';
import { shares } from './shares/goals.js';

const million = 1_000_000;
const connectionCounts = [1, 2, 4, 8, 16, 64, 256, 1_000];

/** At least, of what the better peer does in a second, by connections; undefined for no goal. */
type Throughput = (connections: number) => number | undefined;

function throughput(manyConnections: number): Throughput {
  return (connections) => {
    if (connections <= 8) return 1;
    return connections <= 16 ? 1.2 : manyConnections;
  };
}

function byConnections(measure: string, table: string, least: Throughput): Goal[] {
  return connectionCounts.flatMap((count) => {
    const bound = least(count);
    return [
      besideBetterPeer(
        measure,
        count,
        { better: 'more', ...(bound !== undefined && { bound }) },
        { table, column: 'per second' },
      ),
      ...latencies(measure, table, count, bound === undefined ? {} : { bound: 1 }),
    ];
  });
}

function latencies(measure: string, table: string, count: number, bound: Pick<Goal, 'bound'>): Goal[] {
  const columns = { p50: 'median', p99: '99th percentile' };
  return Object.entries(columns).map(([figure, column]) =>
    besideBetterPeer(`${measure}-${figure}`, count, { better: 'less', ...bound }, { table, column }),
  );
}

const loads: readonly Goal[] = [
  ...byConnections('creates-by-connections', "Creates ÷ the better peer's", throughput(2)),
  ...byConnections('deletes-by-connections', "Deletes ÷ the better peer's", throughput(2)),
  ...byConnections('pages-by-connections', "Lists of limit=20 ÷ the better peer's", throughput(1.7)),
  // Without a bound at 1,000.
  ...byConnections('mix-by-connections', "Daily life ÷ the better peer's", (count) =>
    count <= 256 ? 1.3 : undefined,
  ),
];

const costs: readonly Goal[] = [
  slower('cpu', 'fastify-by-hand', 1, 1),
  slower('cpu', 'fastify-by-hand', 0.5, 64),
  slower('rest', 'fastify-by-hand', 1.3),
  slower('rest-after-load', 'fastify-by-hand'),
  slower('start', 'fastify-by-hand', 1.5),
  slowestBody('the slowest body of 64 KiB, parsed', 'bodies-parse', 5),
  slowestBody('the slowest body of 64 KiB, answered', 'bodies-answer', 5),
  slowestBody('the slowest of the first bodies of 64 KiB after a start', 'bodies-first'),
  ...metricsCounts.map(
    (at): Goal => ({
      ...{ name: `metrics with ${at}, of the main thread's CPU time`, better: 'less', bound: 2, unit: '%' },
      values: (results) => valuesOf(results, 'metrics', service.name, at),
    }),
  ),
];

/** Of all shapes, in each round. */
function slowestBody(name: string, measure: string, bound?: number): Goal {
  return {
    ...{ name, better: 'less', unit: 'ms', ...(bound !== undefined && { bound }) },
    values(results) {
      const series = results.measured.find((one) => one.name === measure)?.series ?? [];
      const [first] = series;
      return (first?.values ?? []).map((_, round) =>
        Math.max(...series.map(({ values }) => values[round] ?? Number.NaN)),
      );
    },
  };
}

const network: readonly Goal[] = networks.flatMap((milliseconds) =>
  [64, 256].map((at) => ({
    name: `creates through ${milliseconds} ms with ${at} ÷ go`,
    better: 'more' as const,
    bound: 2,
    values: (results) => ratiosOf(results, `creates-through-${milliseconds}-ms`, service.name, 'go', at),
  })),
);

const limits: readonly Goal[] = [
  faster('creates', 'ceiling', 0.75),
  faster('creates', 'go', 2),
  faster('creates', 'fastify-by-hand', 2),
  faster('creates', 'fastify-glue'),
  faster('creates', 'express-validator', 5),
  faster('creates', 'pgbench', 1.3),
  faster('deletes', 'go', 2),
  faster('deletes', 'fastify-by-hand'),
  faster('page', 'go', 1.2),
  faster('page', 'fastify-by-hand'),
  ...barePeers.flatMap((peer) => [faster('creates', peer), faster('deletes', peer), faster('page', peer)]),
  slower('creates-p99', 'go', 1),
  slower('list', 'copy', 1.3, million),
  slower('list', 'go', undefined, million),
  {
    name: 'list-first-byte',
    better: 'less',
    bound: 20,
    unit: 'ms',
    values: (results) => valuesOf(results, 'list-first-byte', service.name, million),
  },
];

const growth: readonly Goal[] = [
  {
    name: 'memory above idle, 10 million listed',
    better: 'less',
    bound: 48,
    unit: 'MB',
    values: (results) => valuesOf(results, 'list-by-size-memory', service.name, 10 * million),
  },
  {
    name: 'memory above idle, 10 million listed ÷ 1 million',
    better: 'less',
    bound: 1,
    values: (results) => bySize(results, 'list-by-size-memory', service.name, 10 * million, million),
  },
  {
    name: 'creates at 10 million stored ÷ at 0',
    better: 'more',
    bound: 0.8,
    values: (results) => bySize(results, 'creates-by-stored', service.name, 10 * million, 0),
  },
  {
    name: 'creates at 10 million stored ÷ at 0, scattered ids',
    better: 'more',
    values: (results) => bySize(results, 'creates-by-stored', 'scattered', 10 * million, 0),
  },
];

export const goals: readonly Goal[] = [
  ...loads,
  ...costs,
  ...network,
  ...shares,
  ...memory,
  ...limits,
  ...growth,
];
