/**
 * Runs the command mock: serves the contract without a database, by its own examples.
 */
import { relative, resolve } from 'node:path';
import { isatty } from 'node:tty';
import {
  type Caller,
  contractOf,
  exitCodeOf,
  explainCommand,
  parseArguments,
  refuseMore,
  UsageError,
} from '../../contract-tools/base.js';
import { visible } from '../../exact-json/index.js';
import { listen, makeLog, readFrontSettings, StartError } from '../../service/layer.js';
import { readMockable } from './any-contract.js';
import { buildMock } from './app.js';
import { credentialsInWords, requirementsOf, schemesInWords, unfitCredentials } from './credentials.js';

function helpFor({ command, contract }: Caller): string {
  return `Usage: ${command} ${contract === undefined ? 'FILE' : '[FILE]'} [OPTIONS]

Serves a document of OpenAPI 3.0, 3.1 or 3.2${contract === undefined ? '' : ', by default openapi/plants.yaml,'}
without a database: each answer is an example of the document. Credentials, bodies and parameters are checked as in a service that keeps the document; nothing is stored.

Credentials are sent as the document has them: a bearer token, user and password, or an API key. By default any text is good.

  curl -H 'Prefer: code=409' …                  selects another documented answer
  curl -H 'Prefer: code=400, example=range' …   selects one of its examples

  --contract FILE   the same as FILE
  --credential TEXT only this token, API key or user:password is good; may be repeated
  --help            this text

  HOST          by default 127.0.0.1
  PORT          by default 3000; 0 takes any that is free
  CORS_ORIGINS  origins of pages that may call it, separated by commas
  LOG_LEVEL     of the log on stdout, which is JSON except at a terminal; by default warn

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
    options: {
      stateful: { type: 'boolean' },
      credential: { type: 'string', multiple: true },
      contract: { type: 'string' },
    },
  });
  if (values.stateful !== undefined) {
    throw new UsageError(
      'The mock has no memory, so there is no --stateful any more: leave it out for examples, or start the real server if what is created must be found.',
    );
  }
  refuseMore(positionals, values.contract === undefined ? 1 : 0);
  const file = contractOf(values.contract ?? positionals[0], caller);
  const { logLevel, ...settings } = readFrontSettings({ LOG_LEVEL: 'warn', ...environment });
  const { contract, isOwn, leftOut } = await readMockable(resolve(file));
  const { credential: credentials } = values;
  const requirements = requirementsOf(contract);
  const [unfit] = unfitCredentials(requirements, credentials ?? []);
  if (unfit !== undefined) {
    throw new UsageError(
      `No request can show credential ${unfit} of the list: the document asks for ${schemesInWords(requirements)}.`,
    );
  }
  const app = await buildMock({
    ...{
      ...settings,
      contract,
      log: isatty(1) ? makeLog(logLevel, forReading(process.stderr)) : makeLog(logLevel),
    },
    credentials,
    documentedFailures: !isOwn,
  });
  const address = await listen(app, settings);
  const words = credentialsInWords(requirements, credentials);
  const lines = [
    `The mock of ${contract.title} (${relative(process.cwd(), contract.file)}) is ready at ${address}`,
    `  docs   ${address}/docs`,
    ...(words === undefined ? [] : [`  credentials  ${words}`]),
    ...leftOut.map((sentence) => `  ${sentence}`),
    '  Each answer is an example, and nothing is stored.',
  ];
  // The sentences name operations and the title of a contract that somebody else may have written.
  process.stderr.write(`\n${lines.map((line) => visible(line)).join('\n')}\n\n`);
  return 0;
}

/**
 * Makes an output that writes log lines as sentences, for a person at a terminal. The service's own form
 * needs a package that the tools do without.
 */
export function forReading(output: { write(text: string): void }): Parameters<typeof makeLog>[1] {
  return {
    write(line) {
      const { msg, err }: { msg: string; err?: { message?: string } } = JSON.parse(line);
      const sentence = [msg, ...(err?.message === undefined ? [] : [err.message])].join(': ');
      output.write(`  ${visible(sentence)}\n`);
    },
  };
}

function explain(error: unknown): string {
  const isAbsentFile = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  // The settings, such as a PORT that another program has, are told as a sentence.
  return isAbsentFile || error instanceof StartError ? error.message : explainCommand(error);
}
