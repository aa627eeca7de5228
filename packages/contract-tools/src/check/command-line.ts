/** Reads the command line and the environment of check:contract, and says what its options are. */

import { type Reports, readReports, reportHelp } from '../base/report/reporter.js';
import { type Caller, contractOf, parseArguments, refuseMore, UsageError } from '../base/run-command.js';
import type { Credential } from '../document/credentials.js';
import { lastCommonRule, ruleTable } from '../document/rule-table.js';
import { type GivenCredentials, type Holder, variableOf, variablesOf } from './document/accounts.js';

export function helpFor({ command, contract }: Caller): string {
  return `Usage: ${command} --url URL ${contract === undefined ? '--contract FILE ' : ''}[OPTIONS]

Proves, or refutes, that the server at URL keeps the contract.

  --url URL                         where the server answers, such as http://127.0.0.1:3000
  --contract FILE                   the document, of OpenAPI 3.0, 3.1 or 3.2${contract === undefined ? '' : '; by default openapi/plants.yaml'}
  --seed NUMBER                     what generated cases follow from; by default a random one, which is reported
  --cases NUMBER                    how many cases to generate for each operation; by default 100
  ${reportHelp(' '.repeat(32))}
  --require reached                 exit 1 also if an operation never answered a success: the rule every-operation
  --send OPERATION                  send it although it may change what the check has not made; as often as needed
  --exclude OPERATION               leave it out; as often as needed
  --accept FILE                     a list of findings to let through, each as the report prints it
  --header 'NAME: VALUE'            a header that each request has; as often as needed
  --max-requests-per-second NUMBER  by default as many as the server answers
  --wait-for TIME                   wait until the server answers, at most as long as 30s or 2m; by default not at all
  --version                         the version of the tools
  --help                            this text

  CONTRACT_TOKEN_<SCHEME>          the credential of a security scheme of the document: an access token, an API key or,
                                   for HTTP Basic, user:password. <SCHEME> is the scheme's name in upper case, with
                                   _ for each character that is not a letter from A to Z or a digit: the scheme
                                   api-key has CONTRACT_TOKEN_API_KEY. All of them belong to one owner
  CONTRACT_OTHER_TOKEN_<SCHEME>    another owner's; without them, isolation between owners is not tried
  CONTRACT_REVOKED_TOKEN_<SCHEME>  one that was revoked; without it, revocation is not tried

Without a scheme, ${plainVariables(contract)} have the credential of the scheme that
most operations take.

Beyond OpenAPI and HTTP, a server must keep what a file beside the document says. For my.yaml it is my.rules.yaml, with
one line such as "path-case: on" for each rule. Without a line, only those up to ${lastCommonRule} hold:

${rulesHelp()}

OPERATION is an operationId, or a method and a path such as "POST /caches/empty". That file may also have the lines "send",
"exclude", "accept" and "header", each with a list, and "checks", with the path of a module of your own checks.

The last lines begin with the number of operations that answered a success, and name the others.

Exit code: 0 if nothing that was tried breaks the contract; 1 if something does; 2 if that could not be found out.`;
}

function rulesHelp(): string {
  const width = Math.max(...ruleTable.map(({ name }) => name.length)) + 2;
  return ruleTable.map(({ name, sentence }) => `  ${name.padEnd(width)}${sentence}`).join('\n');
}

function plainVariables(contract: string | undefined): string {
  const names = Object.values(variablesOf(contract === undefined ? 'CONTRACT' : 'PLANTS'));
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export interface CommandLine extends GivenCredentials {
  readonly url: URL;
  readonly contract: string;
  readonly seed: number | undefined;
  readonly cases: number | undefined;
  readonly reports: Reports;
  /** How long the server may take until it answers at all. */
  readonly waitMs: number;
  /** Whether an operation that was not reached is a finding, whatever the rules say. */
  readonly requiresReached: boolean;
  readonly requestsPerSecond: number | undefined;
  readonly send: readonly string[];
  readonly exclude: readonly string[];
  readonly header: readonly string[];
  /** The file of the findings that may pass. */
  readonly acceptFile: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the options, and the credentials from the environment.
 *
 * @throws {UsageError} if an option or a variable is wrong, or if --url or --contract is missing
 */
export function readCommandLine(
  args: readonly string[],
  environment: Environment,
  caller: Caller,
): CommandLine {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      contract: { type: 'string' },
      seed: { type: 'string' },
      cases: { type: 'string' },
      reporter: { type: 'string' },
      report: { type: 'string', multiple: true },
      'wait-for': { type: 'string' },
      require: { type: 'string' },
      send: { type: 'string', multiple: true },
      exclude: { type: 'string', multiple: true },
      header: { type: 'string', multiple: true },
      accept: { type: 'string' },
      'max-requests-per-second': { type: 'string' },
    },
  });
  // `npx --no check-contract --url URL --contract FILE` arrives as `URL FILE`, because npx takes the name of
  // the program for the value of `--no`, and the options for its own.
  refuseMore(positionals, 2);
  const isAddress = (text: string) => /^https?:/.test(text);
  return {
    url: readUrl(values.url ?? positionals.find(isAddress)),
    contract: contractOf(values.contract ?? positionals.find((text) => !isAddress(text)), caller),
    seed: readNumber('seed', values.seed, 0, 2 ** 31 - 1),
    cases: readNumber('cases', values.cases, 1, 1_000_000),
    reports: readReports(values),
    waitMs: readTime('wait-for', values['wait-for']),
    requiresReached: readRequirement(values.require),
    requestsPerSecond: readNumber('max-requests-per-second', values['max-requests-per-second'], 1, 1_000_000),
    ...{ send: values.send ?? [], exclude: values.exclude ?? [], header: values.header ?? [] },
    acceptFile: values.accept,
    ...fitCredentials(environment),
  };
}

function readRequirement(text: string | undefined): boolean {
  if (text === undefined || text === 'reached') return text !== undefined;
  throw new UsageError(`--require is "${text}": it must be "reached".`);
}

function readUrl(text: string | undefined): URL {
  if (text === undefined) throw new UsageError('--url is missing: say where the server answers.');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // What stands before an "@" can be a password.
    throw new UsageError(`--url is "${text.replace(/^.*@/s, '…@')}": it must be an http or https address.`);
  }
  // The messages do not repeat these parts, which can be secret. Reports would.
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      '--url has a user or a password, which the check would print, and not send: leave them out, and set CONTRACT_TOKEN to user:password if the document asks for HTTP Basic.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageError(
      '--url has a query or a fragment: leave it out, and set CONTRACT_TOKEN to the key if the document asks for one.',
    );
  }
  return url;
}

function readNumber(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a number from ${least} to ${most}.`);
}

function readTime(name: string, text: string | undefined): number {
  if (text === undefined) return 0;
  const [, digits, unit] = /^([0-9]{1,4})(s|m)$/.exec(text) ?? [];
  if (digits === undefined) throw new UsageError(`--${name} is "${text}": write a time such as 30s or 2m.`);
  return Number(digits) * (unit === 'm' ? 60_000 : 1_000);
}

const variable = /^(CONTRACT|PLANTS)_(?:(OTHER|REVOKED)_)?TOKEN(?:_([A-Z0-9_]+))?$/;
const holders: Readonly<Record<string, Holder>> = { OTHER: 'second', REVOKED: 'revoked' };

/** Each credential of the environment as it is, so that nothing that is printed shows it. */
interface Given extends Credential {
  readonly holder: Holder;
  readonly scheme: string | undefined;
}

/** @returns every credential in the environment; those of CONTRACT_… stand before those of PLANTS_… */
export function credentialsIn(environment: Environment): Given[] {
  return Object.keys(environment)
    .sort()
    .flatMap((name) => {
      const [, prefix, whose = '', scheme] = variable.exec(name) ?? [];
      const text = environment[name];
      // The names of schemes are of the document, and only the first prefix is of any document.
      if (prefix === undefined || (prefix === 'PLANTS' && scheme !== undefined)) return [];
      if (text === undefined || text === '') return [];
      return [{ holder: holders[whose] ?? 'first', scheme, text, shell: `$${name}` }];
    });
}

/**
 * The contract says which other characters a credential may have.
 *
 * @throws {UsageError} if a credential has a control character. The message does not repeat it
 */
function fitCredentials(environment: Environment): GivenCredentials {
  const given = credentialsIn(environment);
  const unfit = given.find(({ text }) => /\p{Cc}/u.test(text));
  if (unfit !== undefined) {
    throw new UsageError(
      `${variableOf(unfit)} holds control characters, which no request can carry: copy it anew.`,
    );
  }
  const unnamed = (holder: Holder): Credential | undefined =>
    given.find((one) => one.holder === holder && one.scheme === undefined);
  return {
    ...{ token: unnamed('first'), otherToken: unnamed('second'), revokedToken: unnamed('revoked') },
    schemeTokens: given.flatMap((one) => (one.scheme === undefined ? [] : { ...one, scheme: one.scheme })),
  };
}
