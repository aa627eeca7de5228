/** `npm run simulate`: what docs/scale/model.md predicts, for machines that are not at hand. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../src/project.js';
import { parseArguments, runCommand, UsageError } from './kit/command.js';
import { type Coefficients, type Scenario, simulate } from './simulate/simulation.js';

const help = `Simulates creates of closed-loop clients: arrivals, batches, shards, and a server that fails.

  npm run simulate -- --compare   what was measured beside what is predicted for it
  npm run simulate -- [options]

  --connections NUMBER  that each send a create after an answer; by default 64
  --owners NUMBER       by default 16
  --servers NUMBER      PostgreSQL servers; by default 1
  --shards NUMBER       by default 1; on several servers, 32
  --cores NUMBER        of each PostgreSQL; by default 4
  --shared NUMBER       cores of the one machine that all share, instead
  --seconds NUMBER      of virtual time; by default 10
  --down NUMBER         seconds of them in which the first server is away
  --seed NUMBER         by default 1

The coefficients, and what was measured, are in scripts/simulate/measured.json.`;

interface Measured {
  readonly coefficients: Coefficients;
  readonly sharedCores: number;
  readonly runs: readonly {
    readonly connections: number;
    readonly owners: number;
    readonly perSecond: number;
    readonly p50: number;
    readonly fitted: boolean;
  }[];
}

async function main(): Promise<number> {
  const { values } = parseArguments({
    options: {
      compare: { type: 'boolean', default: false },
      connections: { type: 'string', default: '64' },
      owners: { type: 'string', default: '16' },
      servers: { type: 'string', default: '1' },
      shards: { type: 'string' },
      cores: { type: 'string', default: '4' },
      shared: { type: 'string' },
      seconds: { type: 'string', default: '10' },
      down: { type: 'string' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const file = join(projectFolder, 'scripts', 'simulate', 'measured.json');
  // The file is the project's own.
  const measured = JSON.parse(await readFile(file, 'utf8')) as Measured;
  if (values.compare) {
    compare(measured);
    return 0;
  }
  const number = (name: string, text: string) => {
    if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
    throw new UsageError(`--${name} is "${text}": it must be a whole number.\n\n${help}`);
  };
  const servers = number('servers', values.servers);
  const scenario: Scenario = {
    ...{ connections: number('connections', values.connections), owners: number('owners', values.owners) },
    ...{ servers, shards: number('shards', values.shards ?? (servers > 1 ? '32' : '1')) },
    ...{ postgresCores: number('cores', values.cores), seconds: number('seconds', values.seconds) },
    seed: number('seed', values.seed),
    sharedCores: values.shared === undefined ? undefined : number('shared', values.shared),
    ...(values.down !== undefined && {
      failure: { fromMs: 3_000, toMs: 3_000 + 1_000 * number('down', values.down) },
    }),
  };
  const { perSecond, p50, p99, batch, refused } = simulate(measured.coefficients, scenario);
  console.log(
    `${perSecond.toFixed(0)} creates a second, median ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ` +
      `${batch.toFixed(1)} in a statement, ${refused} refused`,
  );
  return 0;
}

function compare({ coefficients, sharedCores, runs }: Measured): void {
  console.log(
    '| connections | measured, a second | predicted | ratio | median, ms | predicted | used for the fit |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const { connections, owners, perSecond, p50, fitted } of runs) {
    const predicted = simulate(coefficients, {
      ...{ connections, owners, sharedCores, servers: 1, shards: 1, postgresCores: 1, seconds: 10, seed: 1 },
    });
    const ratio = predicted.perSecond / perSecond;
    const cells = [connections, perSecond, predicted.perSecond.toFixed(0), ratio.toFixed(2), p50];
    console.log(`| ${[...cells, predicted.p50.toFixed(1), fitted ? 'yes' : 'no'].join(' | ')} |`);
  }
}

await runCommand(main, 2);
