/**
 * Runs the command check:contract: reads the command line, the document and its rules, checks the server, and
 * prints the report. The first SIGINT or SIGTERM ends the check, which then removes what it created. The
 * second one ends the process at once.
 */

import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { ContractError } from '../../../exact-json/index.js';
import { readAcceptances } from '../base/acceptances.js';
import { writeReports } from '../base/report/reporter.js';
import { type Caller, exitCodeOf, explainCommand } from '../base/run-command.js';
import type { Credential } from '../document/credentials.js';
import { readDocument } from '../document/read-document.js';
import { check } from './check.js';
import { type CommandLine, credentialsIn, helpFor, readCommandLine } from './command-line.js';
import { CannotCheckError } from './document/cannot-check.js';
import { headersIn } from './document/choices.js';
import { readRules, withChoices, withRule } from './document/rules.js';
import { showProgress } from './progress.js';
import { hideCredentials } from './reporters/hide-credentials.js';
import { resultsOf } from './reporters/results.js';
import { repeatLine } from './reporters/summary.js';
import type { Report } from './verdict/report.js';
import { waitFor } from './wait-for.js';

type Environment = Parameters<typeof readCommandLine>[1];

/**
 * @returns the exit code: 0 if nothing that was tried breaks the contract, 1 if something does, 2 if that could
 *   not be found out
 */
export function checkCommand(
  args: readonly string[],
  environment: Environment,
  caller: Caller,
): Promise<number> {
  const secrets: (Credential | undefined)[] = [...credentialsIn(environment)];
  return exitCodeOf({
    help: helpFor(caller),
    args,
    main: () => main(args, environment, caller, secrets),
    explain: (error) => hideCredentials(secrets)(explain(error)),
  });
}

/** @param secrets get what a report and a message must not show, as soon as it is known */
async function main(
  args: readonly string[],
  environment: Environment,
  caller: Caller,
  secrets: (Credential | undefined)[],
): Promise<number> {
  const commandLine = readCommandLine(args, environment, caller);
  const found = await run(commandLine, secrets);
  const results = resultsOf(found, repeatLine(found, caller));
  await writeReports(commandLine.reports, results, commandLine.contract, hideCredentials(secrets));
  if (found.findings.length > 0) return 1;
  return found.interrupted ? 2 : 0;
}

async function run(commandLine: CommandLine, secrets: (Credential | undefined)[]): Promise<Report> {
  const file = resolve(commandLine.contract);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw asUnreadable(error);
  });
  const document = readDocument(text, relative(process.cwd(), file));
  const written = await readRules(file);
  const required = commandLine.requiresReached ? withRule(written, 'every-operation') : written;
  const { acceptFile } = commandLine;
  const accept = acceptFile === undefined ? [] : await readAcceptances(acceptFile);
  const rules = withChoices(required, { ...commandLine, accept });
  secrets.push(...headersIn(rules));
  const interrupt = new AbortController();
  const onSignal = (): void => {
    // The second signal ends the command without cleaning up.
    if (interrupt.signal.aborted) process.exit(2);
    console.error('\nInterrupted: removing what the check created.');
    interrupt.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const progress = showProgress(commandLine.reports.reporter);
  try {
    await waitFor(commandLine.url, commandLine.waitMs, interrupt.signal);
    return await check({
      ...{ ...commandLine, document, rules },
      ...{ signal: interrupt.signal, onCase: progress.update },
    });
  } finally {
    progress.end();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Says what to do about a contract that is no file, or none that may be read; other errors stay. */
function asUnreadable(error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error;
  return isOfSystem
    ? new CannotCheckError(`The contract cannot be read (${error.message}): mend --contract.`)
    : error;
}

function explain(error: unknown): string {
  const isExplained = error instanceof ContractError || error instanceof CannotCheckError;
  return isExplained ? error.message : explainCommand(error);
}
