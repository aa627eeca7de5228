/** `npm run simulate -- --compare`: measured beside predicted, as the tables of docs/scale/model.md. */
import type { Measured } from './measured.js';
import { simulate } from './simulation.js';

const machine = { servers: 1, shards: 1, postgresCores: 1, seconds: 10, seed: 1 };
/** Of Node.js's timers, microseconds. */
const wakeAfter = 1_000;

export function compare(measured: Measured): string {
  return [closedLoop(measured), openLoop(measured)].join('\n\n');
}

function closedLoop({ coefficients, sharedCores, runs }: Measured): string {
  const rows = runs.map(({ connections, owners, perSecond, p50, fitted }) => {
    const predicted = simulate(coefficients, { ...machine, owners, sharedCores, load: { connections } });
    const ratio = (predicted.perSecond / perSecond).toFixed(2);
    const figures = [
      connections,
      perSecond,
      predicted.perSecond.toFixed(0),
      ratio,
      p50,
      predicted.p50.toFixed(1),
    ];
    return [...figures, fitted ? 'yes' : 'no'];
  });
  return table(
    [
      'connections',
      'measured, a second',
      'predicted',
      'ratio',
      'median, ms',
      'predicted',
      'used for the fit',
    ],
    rows,
  );
}

function openLoop({ coefficients, openRuns }: Measured): string {
  if (openRuns === undefined) return 'In an open loop, nothing was measured: npm run simulate -- --measure';
  const sharedCores = openRuns.cores;
  const rows = openRuns.runs.map(({ rate, owners, perSecond, p50, p99, batch, client }) => {
    const load = { perSecond: rate, wakeAfter };
    // The sender is measured, too: it is another program than that of the closed loop.
    const predicted = simulate({ ...coefficients, client }, { ...machine, owners, sharedCores, load });
    const pairs = [
      [p50, predicted.p50],
      [p99, predicted.p99],
      [batch, predicted.batch],
    ] as const;
    return [rate, perSecond, ...pairs.flatMap(([here, there]) => [here, there.toFixed(1)])];
  });
  const shown = table(
    [
      'creates sent a second',
      'answered',
      'median, ms',
      'predicted',
      'p99, ms',
      'predicted',
      'n',
      'predicted',
    ],
    rows,
  );
  return `In an open loop, ${openRuns.date}: ${openRuns.machine}.\n\n${shown}`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
