/** `npm run fuzz`: sends what is hardly HTTP, and looks for failures, hangs and undocumented answers. */
import { randomInt } from 'node:crypto';
import { readContract } from '../../../src/contract/document/document.js';
import { contractFile } from '../../../src/project.js';
import { Cleanup } from '../../kit/cleanup.js';
import { exitCodeOf, explainCommand, parseArguments, UsageError } from '../../kit/command.js';
import { UnreachableError } from '../../kit/http/connection.js';
import { judgeBy } from './answers.js';
import { type FuzzOptions, fuzz } from './fuzz.js';
import { startOwnService } from './own-service.js';

const help = `Usage: npm run fuzz [-- OPTIONS]

Sends generated and mutated HTTP to the service, which is started on a PostgreSQL of its own.

  --url URL         a server instead of it, such as http://127.0.0.1:3000
  --seed NUMBER     what all cases follow from; by default a random one, which is reported
  --seconds NUMBER  by default 60
  --case NUMBER     only this case of the seed
  --pid NUMBER      with --url, the server's process, whose memory may not grow (Linux)
  --patience NUMBER seconds after which a connection that the client has ended must be closed; by default 40
  --help            this text

  PLANTS_TOKEN      with --url, an access token of an owner without plants: they are created and deleted

Exit code: 0 if nothing was found; 1 with what was found; 2 if it could not be tried.`;

function readNumber(name: string, text: string): number {
  if (/^[0-9]{1,10}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a number.`);
}

async function readOptions(cleanup: Cleanup): Promise<FuzzOptions> {
  const option = { type: 'string' } as const;
  const { values } = parseArguments({
    options: { url: option, seed: option, seconds: option, case: option, pid: option, patience: option },
  });
  const { url, seed = String(randomInt(2 ** 31)), seconds = '60', patience = '40' } = values;
  if (url === undefined && values.pid !== undefined) throw new UsageError('--pid needs --url.');
  const pid = values.pid === undefined ? undefined : readNumber('pid', values.pid);
  const numbers = {
    seed: readNumber('seed', seed),
    seconds: readNumber('seconds', seconds),
    only: values.case === undefined ? undefined : readNumber('case', values.case),
    closeTimeoutMs: readNumber('patience', patience) * 1_000,
  };
  const server =
    url === undefined ? await startOwnService(cleanup) : { ...readServer(url), pid, ended: undefined };
  return { ...numbers, ...server, judge: judgeBy(await readContract(contractFile)) };
}

function readServer(url: string): Pick<FuzzOptions, 'url' | 'token'> {
  const token = process.env['PLANTS_TOKEN'];
  if (!URL.canParse(url)) throw new UsageError(`--url is "${url}", which is not an address.`);
  if (!token) throw new UsageError('PLANTS_TOKEN is not set: set it to an access token of the server.');
  return { url: new URL(url), token };
}

async function main(cleanup: Cleanup): Promise<number> {
  const options = await readOptions(cleanup);
  const { requests, cases, findings } = await fuzz(options);
  for (const { number, what, bytes } of findings)
    console.log(`${number === undefined ? '' : `case ${number}: `}${what}\n  ${bytes}`);
  console.log(`${requests} requests in ${cases} cases of seed ${options.seed}: ${findings.length} findings`);
  return findings.length > 0 ? 1 : 0;
}

const cleanup = new Cleanup();
cleanup.beforeExit();
try {
  process.exitCode = await exitCodeOf({
    help,
    args: process.argv.slice(2),
    main: () => main(cleanup),
    explain: (error) =>
      error instanceof UnreachableError
        ? `Nobody answers at --url (${error.message}): start the server.`
        : explainCommand(error),
  });
} finally {
  await cleanup.run();
}
