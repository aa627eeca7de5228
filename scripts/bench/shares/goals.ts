import { service } from '../contestants.js';
import type { Goal } from '../goal.js';
import { valuesOf } from '../results.js';
import { ratios } from '../statistics.js';
import { busyCounts } from './arrivals.js';
import { overloads } from './overload.js';
import { greedyCounts } from './quiet.js';

/** At most so many milliseconds. */
function wait(name: string, bound: number, measure: string, at?: number): Goal {
  return {
    ...{ name, better: 'less', bound, unit: 'ms' },
    values: (results) => valuesOf(results, measure, service.name, at),
  };
}

export const shares: readonly Goal[] = [
  ...greedyCounts.flatMap((at): Goal[] => {
    const beside = `beside ${written(at)} connections of another owner`;
    return [
      wait(`a quiet owner's create ${beside}, median`, 5, 'quiet-p50', at),
      wait(`a quiet owner's create ${beside}, p99`, 20, 'quiet-p99', at),
      {
        name: `creates of ${written(at)} connections beside a quiet owner ÷ alone`,
        better: 'more',
        bound: 0.9,
        values: (results) => {
          const [beside, alone] = ['greedy-beside', 'greedy-alone'].map((measure) =>
            valuesOf(results, measure, service.name, at),
          );
          return ratios(beside ?? [], alone ?? []);
        },
      },
    ];
  }),
  wait('the longest wait of 1,000 connections opened at once', 250, 'burst-worst'),
  ...busyCounts.map((at) =>
    wait(`/live on a new connection beside ${written(at)}, p99`, 250, 'arrivals-live-p99', at),
  ),
  wait('creates, a connection for each, p99', 250, 'single-p99'),
  ...overloads.flatMap((at) => [
    wait(`accepted creates at ${written(at)} a second, p99`, 500, 'overload-accepted-p99', at),
    wait(`/live at ${written(at)} creates a second, p99`, 100, 'overload-live-p99', at),
    wait(`/ready at ${written(at)} creates a second, p99`, 100, 'overload-ready-p99', at),
  ]),
];

function written(count: number): string {
  return count.toLocaleString('en');
}
