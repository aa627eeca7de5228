/** Reads the command line and the environment of check:contract, and says what its options are. */

import type { Credential } from '../document/credentials.js';
import { type Caller, contractOf, parseArguments, refuseMore, UsageError } from '../kit/command.js';
import { type ReporterName, readReporter, reporterHelp } from '../kit/report/reporter.js';
import { lastCommonRule, ruleTable } from './document/rules.js';

export function helpFor({ command, contract }: Caller): string {
  return `Usage: ${command} --url URL ${contract === undefined ? '--contract FILE ' : ''}[OPTIONS]

Proves, or refutes, that the server at URL keeps the contract.

  --url URL                         where the server answers, such as http://127.0.0.1:3000
  --contract FILE                   the document, of OpenAPI 3.0, 3.1 or 3.2${contract === undefined ? '' : '; by default openapi/plants.yaml'}
  --seed NUMBER                     what generated cases follow from; by default a random one, which is reported
  --cases NUMBER                    how many cases to generate for each operation; by default 100
  ${reporterHelp.replace(/ {2,}/, '                   ')}
  --require reached                 exit 1 also if an operation never answered a success: the rule every-operation
  --max-requests-per-second NUMBER  by default as many as the server answers
  --help                            this text

  PLANTS_TOKEN          an access token, an API key or, for HTTP Basic, user:password: what the document asks for
  PLANTS_OTHER_TOKEN    another owner's; without it, isolation between owners is not tried
  PLANTS_REVOKED_TOKEN  one that was revoked; without it, revocation is not tried

Beyond OpenAPI and HTTP, a server must keep what a file beside the document says. For my.yaml it is my.rules.yaml, with
one line such as "path-case: on" for each rule. Without a line, only those up to ${lastCommonRule} hold:

${rulesHelp()}

The last lines begin with the number of operations that answered a success, and name the others.

Exit code: 0 if nothing that was tried breaks the contract; 1 if something does; 2 if that could not be found out.`;
}

function rulesHelp(): string {
  const width = Math.max(...ruleTable.map(({ name }) => name.length)) + 2;
  return ruleTable.map(({ name, sentence }) => `  ${name.padEnd(width)}${sentence}`).join('\n');
}

export interface CommandLine {
  readonly url: URL;
  readonly contract: string;
  readonly seed: number | undefined;
  readonly cases: number | undefined;
  readonly reporter: ReporterName;
  /** Whether an operation that was not reached is a finding, whatever the rules say. */
  readonly requiresReached: boolean;
  readonly requestsPerSecond: number | undefined;
  readonly token: Credential | undefined;
  readonly otherToken: Credential | undefined;
  readonly revokedToken: Credential | undefined;
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
      require: { type: 'string' },
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
    reporter: readReporter(values.reporter),
    requiresReached: readRequirement(values.require),
    requestsPerSecond: readNumber('max-requests-per-second', values['max-requests-per-second'], 1, 1_000_000),
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
      '--url has a user or a password, which the check would print, and not send: leave them out, and set PLANTS_TOKEN to user:password if the document asks for HTTP Basic.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageError(
      '--url has a query or a fragment: leave it out, and set PLANTS_TOKEN to the key if the document asks for one.',
    );
  }
  return url;
}

function readNumber(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new UsageError(`--${name} is "${text}": it must be a number from ${least} to ${most}.`);
}

/** @returns the credentials of the environment as they are, so that nothing that is printed shows them */
export function credentialsOf(
  environment: Environment,
): Pick<CommandLine, 'token' | 'otherToken' | 'revokedToken'> {
  const credentialOf = (variable: string): Credential | undefined => {
    const text = environment[variable];
    return text === undefined || text === '' ? undefined : { text, shell: `$${variable}` };
  };
  return {
    token: credentialOf('PLANTS_TOKEN'),
    otherToken: credentialOf('PLANTS_OTHER_TOKEN'),
    revokedToken: credentialOf('PLANTS_REVOKED_TOKEN'),
  };
}

/** The contract says which other characters a credential may have. The message does not repeat it. */
function fitCredentials(environment: Environment): ReturnType<typeof credentialsOf> {
  const credentials = credentialsOf(environment);
  const unfit = Object.values(credentials).find(
    (credential) => credential && /\p{Cc}/u.test(credential.text),
  );
  if (unfit === undefined) return credentials;
  throw new UsageError(
    `${unfit.shell.slice(1)} holds control characters, which no request can carry: copy it anew.`,
  );
}
