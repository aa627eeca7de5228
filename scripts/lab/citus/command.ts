/**
 * `npm run citus`: a local Citus, built from its sources if they are at hand. docs/scale/citus.md says what
 * it found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { projectFolder } from '../../../src/project.js';
import { Cleanup } from '../../kit/cleanup.js';
import { explainCommand, parseArguments, UsageError } from '../../kit/command.js';
import { run } from '../../kit/programs.js';
import { tableHead, tableRow } from '../../kit/report/table.js';
import { isSound, toText } from '../survive/report.js';
import { bench } from './bench.js';
import { buildCitus, MissingError } from './build.js';
import { Cluster } from './cluster.js';
import { survive } from './survive.js';

const help = `Usage: npm run citus -- run | test | survive | bench [OPTIONS]

Builds Citus from its sources, starts a coordinator and workers on the loopback interface, and

  npm run citus -- run       prints CITUS_URL, and keeps it running until Ctrl-C
  npm run citus -- test      runs npm run test:citus
  npm run citus -- survive   kills workers, moves shards and adds a worker under load
  npm run citus -- bench     measures one PostgreSQL, and Citus with 1, 2 and 4 workers

  --sources FOLDER     an unpacked release of Citus; by default the variable CITUS_SOURCES
  --postgres FOLDER    the prefix of Debian's PostgreSQL and its headers; by default /usr
  --build FOLDER       where it is built, once; by default /tmp/plant-store-citus
  --workers NUMBER     by default 2; with bench, may be given several times
  --seconds NUMBER     of survive, by default 40; of each load of bench, 5
  --seed NUMBER        of survive; by default 1
  --only TEXT          of survive: faults whose names contain this
  --connections NUMBER of bench; may be given several times; by default 64
  --owners NUMBER, --rounds NUMBER   of bench; by default 16 and 1

Exit code: as that of the tests or of npm run survive; 2 if it could not run.`;

const compileMs = 120_000;

async function main(cleanup: Cleanup): Promise<number> {
  const { values, positionals } = readArguments();
  const [what = ''] = positionals;
  if (values.help || !['run', 'test', 'survive', 'bench'].includes(what)) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  const sources = values.sources ?? process.env['CITUS_SOURCES'];
  if (sources === undefined) {
    throw new MissingError('There are no sources of Citus: name their folder by --sources or CITUS_SOURCES.');
  }
  console.error('Building Citus, unless it is built …');
  const folder = resolve(values.build);
  const programs = await buildCitus(cleanup, {
    ...{ sources: resolve(sources), prefix: resolve(values.postgres), folder },
  });
  const connections = values.connections.map((text) => readNumber('connections', text, 64));
  const number = (name: 'seconds' | 'seed' | 'owners' | 'rounds', otherwise: number) =>
    readNumber(name, values[name], otherwise);
  const workers = values.workers.map((text) => readNumber('workers', text, 2));
  if (what === 'bench') {
    const options = {
      ...{ command: await compile(cleanup), programs, workers: workers.length > 0 ? workers : [0, 1, 2, 4] },
      ...{ seconds: number('seconds', 5), rounds: number('rounds', 1) },
      ...{ owners: number('owners', 16), connections: connections.length > 0 ? connections : [64] },
    };
    const head = ['workers', 'connections', 'requests', 'a second', 'median, ms', 'p99, ms', 'CPU, µs: wrk'];
    console.log(tableHead([...head, 'service', 'coordinator', 'workers']));
    await bench(options, ({ workers: count, connections: open, kind, perSecond, p50, p99, cpu }) => {
      const cells = [count || 'PostgreSQL', open, kind, perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1)];
      console.log(tableRow([...cells, ...cpu.map((value) => value.toFixed(0))]));
    });
    return 0;
  }
  const cluster = await Cluster.start(cleanup, programs, workers[0] ?? 2);
  if (what === 'survive') {
    const report = await survive(cleanup, {
      ...{ command: await compile(cleanup), cluster, only: values.only },
      ...{ seconds: number('seconds', 40), seed: number('seed', 1) },
      onProgress: (text) => console.error(text),
    });
    console.log(toText(report));
    return isSound(report) ? 0 : 1;
  }
  console.log(`CITUS_URL=${cluster.coordinator.url}`);
  if (what === 'run') {
    await once(process, 'SIGINT');
    return 0;
  }
  const tests = spawn('npm', ['run', 'test:citus'], {
    cwd: projectFolder,
    stdio: 'inherit',
    env: { ...process.env, CITUS_URL: cluster.coordinator.url },
  });
  const [code] = await once(tests, 'exit');
  return Number(code ?? 1);
}

function readArguments() {
  return parseArguments({
    allowPositionals: true,
    options: {
      sources: { type: 'string' },
      postgres: { type: 'string', default: '/usr' },
      build: { type: 'string', default: '/tmp/plant-store-citus' },
      workers: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      owners: { type: 'string' },
      connections: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
}

function readNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[0-9]{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a whole number.`);
}

async function compile(cleanup: Cleanup) {
  const compiler = join(projectFolder, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(cleanup, process.execPath, [compiler, '--project', 'tsconfig.build.json'], {
    cwd: projectFolder,
    timeoutMs: compileMs,
  });
  return { file: process.execPath, parameters: ['--enable-source-maps', 'dist/src/main.js'] };
}

const cleanup = new Cleanup();
cleanup.beforeExit();
try {
  process.exitCode = await main(cleanup);
} catch (error) {
  process.exitCode = 2;
  if (!cleanup.ended) {
    console.error(error instanceof MissingError ? `Skipped: ${error.message}` : explainCommand(error));
  }
} finally {
  await cleanup.run();
}
