/** The command mock: the contract with its own examples for answers, or plants in memory, and no database. */
import { relative, resolve } from 'node:path';
import { readContract } from '../../../src/contract/document/document.js';
import { makeLog } from '../../../src/log/log.js';
import { readFrontSettings } from '../../../src/settings.js';
import { listen } from '../../../src/start/listening.js';
import { type Caller, contractOf, exitCodeOf, explainCommand, parseArguments } from '../../kit/command.js';
import { buildMock, mockToken } from './app.js';

function helpFor({ command, contract }: Caller): string {
  return `Usage: ${command} ${contract === undefined ? 'FILE' : '[FILE]'} [--stateful]

Serves an OpenAPI document${contract === undefined ? '' : ', by default openapi/plants.yaml,'} without a database: each answer is an example of
the document. Tokens, bodies and parameters are checked as in a service that keeps the document; nothing is stored.
With --stateful, the plants of each token are kept in memory until the mock ends.

  ${mockToken}   a token that need not be secret; any other token of this form is another owner

  curl -H 'Prefer: code=409' …                  selects another documented answer
  curl -H 'Prefer: code=400, example=range' …   selects one of its examples

  --contract FILE   the same as FILE
  --stateful        keeps plants
  --help            this text

  HOST          by default 127.0.0.1
  PORT          by default 3000; 0 takes any that is free
  CORS_ORIGINS  origins of pages that may call it, separated by commas
  LOG_LEVEL     of the log on stdout; by default warn

Exit code: 0 after Ctrl-C; 2 if it could not start.`;
}

/** @returns the exit code of the start; the process goes on until a signal ends it */
export function mockCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  caller: Caller,
): Promise<number> {
  return exitCodeOf({ help: helpFor(caller), args, main: () => main(args, environment, caller), explain });
}

async function main(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  caller: Caller,
): Promise<number> {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { stateful: { type: 'boolean', default: false }, contract: { type: 'string' } },
  });
  const file = contractOf(values.contract ?? positionals[0], caller);
  const { logLevel, ...settings } = readFrontSettings({ LOG_LEVEL: 'warn', ...environment });
  const contract = await readContract(resolve(file));
  const { stateful } = values;
  const app = await buildMock({ ...settings, contract, log: makeLog(logLevel), stateful });
  const address = await listen(app, settings);
  const lines = [
    `The mock of ${contract.document.info.title} (${relative(process.cwd(), contract.file)}) is ready at ${address}`,
    `  docs   ${address}/docs`,
    `  token  ${mockToken}`,
    `         (always this one; ${stateful ? 'plants are kept until the mock ends' : 'nothing is stored'})`,
  ];
  process.stderr.write(`\n${lines.join('\n')}\n\n`);
  return 0;
}

function explain(error: unknown): string {
  const isAbsentFile = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isAbsentFile ? error.message : explainCommand(error);
}
