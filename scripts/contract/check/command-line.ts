import { contractFile } from '../../../src/project.js';
import { parseArguments, UsageError } from '../../kit/command.js';
import type { Credential } from './request.js';

export const usage = `Proves, or refutes, that the server at URL keeps the contract.

  npm run check:contract -- --url URL [options]

  --url URL                         where the server answers, such as http://127.0.0.1:3000
  --contract FILE                   the OpenAPI document; by default openapi/plants.yaml
  --seed NUMBER                     what generated cases follow from; by default a random one, which is reported
  --cases NUMBER                    how many cases to generate for each operation; by default 100
  --reporter text|tap|junit|json    by default text
  --max-requests-per-second NUMBER  by default as many as the server answers
  --help

  PLANTS_TOKEN          an access token
  PLANTS_OTHER_TOKEN    another owner's; without it, isolation between owners is not tried
  PLANTS_REVOKED_TOKEN  one that was revoked; without it, revocation is not tried

Exits 0 where the server keeps the contract, 1 where it does not, 2 where that could not be found out.`;

const reporterNames = ['text', 'tap', 'junit', 'json'] as const;
export type ReporterName = (typeof reporterNames)[number];

export interface CommandLine {
  readonly url: URL;
  readonly contract: string;
  readonly seed: number | undefined;
  readonly cases: number | undefined;
  readonly reporter: ReporterName;
  readonly requestsPerSecond: number | undefined;
  readonly token: Credential | undefined;
  readonly otherToken: Credential | undefined;
  readonly revokedToken: Credential | undefined;
}

/** @returns undefined if help is asked for */
export function readCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CommandLine | undefined {
  const { values } = parseArguments({
    args: [...args],
    options: {
      url: { type: 'string' },
      contract: { type: 'string' },
      seed: { type: 'string' },
      cases: { type: 'string' },
      reporter: { type: 'string' },
      'max-requests-per-second': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  return {
    url: readUrl(values.url),
    contract: values.contract ?? contractFile,
    seed: readNumber('seed', values.seed, 0, 2 ** 31 - 1),
    cases: readNumber('cases', values.cases, 1, 1_000_000),
    reporter: readReporter(values.reporter),
    requestsPerSecond: readNumber('max-requests-per-second', values['max-requests-per-second'], 1, 1_000_000),
    token: credentialOf('PLANTS_TOKEN', environment),
    otherToken: credentialOf('PLANTS_OTHER_TOKEN', environment),
    revokedToken: credentialOf('PLANTS_REVOKED_TOKEN', environment),
  };
}

function readUrl(text: string | undefined): URL {
  if (text === undefined) throw new UsageError('--url is missing: say where the server answers.');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError(`--url is "${text}": it must be an http or https address without a query.`);
  }
  return url;
}

function readNumber(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a number from ${least} to ${most}.`);
}

function readReporter(text = 'text'): ReporterName {
  const name = reporterNames.find((known) => known === text);
  if (name === undefined)
    throw new UsageError(`--reporter is "${text}": it is one of ${reporterNames.join(', ')}.`);
  return name;
}

/** RFC 6750, section 2.1: the characters of a bearer token. The message does not repeat the token. */
function credentialOf(
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
): Credential | undefined {
  const text = environment[variable];
  if (text === undefined || text === '') return undefined;
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(text)) {
    throw new UsageError(`${variable} holds characters that no bearer token has: copy the token anew.`);
  }
  return { text, shell: `$${variable}` };
}
