/**
 * Runs `npm run fuzz`: starts the service, sends it what is hardly HTTP, and looks for failures, hangs and
 * undocumented answers.
 */
import { randomInt } from 'node:crypto';
import { parseArguments, UsageError } from '../../../contract-tools/base.js';
import {
  type Cleanup,
  compile,
  contractFile,
  issueToken,
  makeFolder,
  migrate,
  runWithCleanup,
  Server,
  startCluster,
  startCommand,
} from '../../../kit/index.js';
import { judgeBy } from './answers.js';
import { fuzz } from './fuzz.js';

const help = `Usage: npm run fuzz [-- OPTIONS]

Sends generated and mutated HTTP to the service, which is started on a PostgreSQL of its own.

  --seed NUMBER     what all cases follow from; by default a random one, which is reported
  --seconds NUMBER  by default 60
  --case NUMBER     only this case of the seed
  --help            this text

Exit code: 0 if nothing was found; 1 with what was found; 2 if it could not be tried.`;

/** With a heap of 128 MB, the service soon has its full size, so that growth after that is a leak. */
const heap = '--max-heap-size=128';
/** How long a server may take to close a connection that the client has ended. */
const closeTimeoutMs = 40_000;

async function main(cleanup: Cleanup): Promise<number> {
  const { values } = parseArguments({
    options: { seed: { type: 'string' }, seconds: { type: 'string' }, case: { type: 'string' } },
  });
  const seed = readNumber('seed', values.seed) ?? randomInt(2 ** 31);
  const seconds = readNumber('seconds', values.seconds) ?? 60;
  const only = readNumber('case', values.case);
  const judge = await judgeBy(contractFile);
  const service = await startService(cleanup);
  const { requests, cases, findings } = await fuzz({
    ...service,
    seed,
    seconds,
    only,
    judge,
    closeTimeoutMs,
  });
  for (const { number, what, bytes } of findings)
    console.log(`${number === undefined ? '' : `case ${number}: `}${what}\n  ${bytes}`);
  console.log(`${requests} requests in ${cases} cases of seed ${seed}: ${findings.length} findings`);
  return findings.length > 0 ? 1 : 0;
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[0-9]{1,10}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a number.`);
}

/** Starts the service as `npm start` runs it, but with a small heap, on a PostgreSQL of its own. */
async function startService(cleanup: Cleanup) {
  await compile(cleanup);
  const { url: databaseUrl } = await startCluster(cleanup, await makeFolder(cleanup), {});
  await migrate(cleanup, databaseUrl);
  const token = await issueToken(cleanup, databaseUrl, 'fuzz');
  const { file, parameters } = startCommand;
  const command = { file, parameters: [heap, ...parameters] };
  const { address, pid, ended } = await Server.start(cleanup, command, databaseUrl);
  return { url: new URL(address), token, pid, ended };
}

await runWithCleanup({ help, main });
