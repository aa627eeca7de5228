/** `npm run simulate`: what docs/scale/model.md predicts, for machines that are not at hand. */
import { parseArguments, runCommand, UsageError } from './kit/command.js';
import { compare } from './simulate/compare.js';
import { measureOpenLoop } from './simulate/measure.js';
import { readMeasured, writeOpenRuns } from './simulate/measured.js';
import { type Scenario, simulate } from './simulate/simulation.js';

const help = `Simulates creates: arrivals, batches, shards, and a server that fails.

  npm run simulate -- --compare   what was measured beside what is predicted for it
  npm run simulate -- --measure   measures the real service in an open loop, anew for --compare: two minutes
  npm run simulate -- [options]

  --connections NUMBER  that each send a create after an answer; by default 64
  --rate NUMBER         creates a second at Poisson moments, instead of connections
  --owners NUMBER       by default 16
  --servers NUMBER      PostgreSQL servers; by default 1
  --shards NUMBER       by default 1; on several servers, 32
  --cores NUMBER        of each PostgreSQL; by default 4
  --shared NUMBER       cores of the one machine that all share, instead
  --seconds NUMBER      of virtual time; by default 10
  --down NUMBER         seconds of them in which the first server is away
  --seed NUMBER         by default 1

The coefficients, and what was measured, are in scripts/simulate/measured.json.`;

async function main(): Promise<number> {
  const { values } = parseArguments({
    options: {
      compare: { type: 'boolean', default: false },
      measure: { type: 'boolean', default: false },
      connections: { type: 'string' },
      rate: { type: 'string' },
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
  if (values.measure) await writeOpenRuns(await measureOpenLoop());
  const measured = await readMeasured();
  if (values.compare || values.measure) {
    console.log(compare(measured));
    return 0;
  }
  if (values.rate !== undefined && values.connections !== undefined)
    throw new UsageError('--rate and --connections exclude each other: name one.');
  const number = (name: string, text: string) => {
    if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
    throw new UsageError(`--${name} is "${text}": it must be a whole number.\n\n${help}`);
  };
  const servers = number('servers', values.servers);
  const scenario: Scenario = {
    owners: number('owners', values.owners),
    load:
      values.rate === undefined
        ? { connections: number('connections', values.connections ?? '64') }
        : { perSecond: number('rate', values.rate), wakeAfter: 0 },
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

await runCommand(main, 2);
