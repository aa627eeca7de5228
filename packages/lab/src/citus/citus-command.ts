/**
 * Runs `npm run citus`: a local Citus, built from its sources if they are at hand. docs/scale/citus.md says
 * what it found.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { explainCommand, parseArguments, UsageError } from '../../../contract-tools/base.js';
import {
  type Cleanup,
  compile,
  migrate,
  projectFolder,
  runWithCleanup,
  Server,
  startCommand,
  storeTokens,
} from '../../../kit/index.js';
import { isSound, toText } from '../survive/report.js';
import { injectAll, ownersFor } from '../survive/survive.js';
import { buildCitus, MissingError } from './build.js';
import { Cluster } from './cluster.js';
import { faults } from './faults.js';

const help = `Usage: npm run citus -- run | test | survive [OPTIONS]

Builds Citus from its sources, starts a coordinator and two workers on the loopback interface, and

  npm run citus -- run       prints CITUS_URL, and keeps it running until Ctrl-C
  npm run citus -- test      runs npm run test:citus
  npm run citus -- survive   kills workers, moves shards and adds a worker under load

  --sources FOLDER     an unpacked release of Citus; by default the variable CITUS_SOURCES
  --postgres FOLDER    the prefix of Debian's PostgreSQL and its headers; by default /usr
  --build FOLDER       where it is built, once; by default /tmp/plant-store-citus
  --seconds NUMBER     of survive; by default 120, because a rebalancing alone may take 70
  --seed NUMBER        of survive; by default 1
  --help               this text

Exit code: as that of the tests or of npm run survive; 2 if it could not run.`;

const workers = 2;

async function main(cleanup: Cleanup): Promise<number> {
  const { values, positionals } = parseArguments({
    allowPositionals: true,
    options: {
      sources: { type: 'string' },
      postgres: { type: 'string', default: '/usr' },
      build: { type: 'string', default: '/tmp/plant-store-citus' },
      seconds: { type: 'string', default: '120' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [what = ''] = positionals;
  if (!['run', 'test', 'survive'].includes(what))
    throw new UsageError(`"${what}" must be run, test or survive.`);
  const seconds = readNumber('seconds', values.seconds);
  const seed = readNumber('seed', values.seed);
  const sources = values.sources ?? process.env['CITUS_SOURCES'];
  if (sources === undefined) {
    throw new MissingError('There are no sources of Citus: name their folder by --sources or CITUS_SOURCES.');
  }
  console.error('Building Citus, unless it is built …');
  const programs = await buildCitus(cleanup, {
    sources: resolve(sources),
    prefix: resolve(values.postgres),
    folder: resolve(values.build),
  });
  const cluster = await Cluster.start(cleanup, programs, workers);
  if (what === 'survive') return survive(cleanup, cluster, seconds, seed);
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

async function survive(cleanup: Cleanup, cluster: Cluster, seconds: number, seed: number): Promise<number> {
  await compile(cleanup);
  const { url } = cluster.coordinator;
  await migrate(cleanup, url);
  const tokens = await storeTokens(url, ownersFor(seconds));
  const server = await Server.start(cleanup, startCommand, url);
  const injected = await injectAll({
    url: new URL(server.address),
    tokens,
    target: cluster,
    seconds,
    seed,
    faults,
    onProgress: (text) => console.error(text),
  });
  // A service that has ended is not served again, so the report says so already.
  const report = { ...injected, crashes: [] };
  console.log(toText(report));
  return isSound(report) ? 0 : 1;
}

function readNumber(name: string, text: string): number {
  if (/^[0-9]{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a whole number.`);
}

await runWithCleanup({
  help,
  main,
  explain: (error) => (error instanceof MissingError ? `Skipped: ${error.message}` : explainCommand(error)),
});
