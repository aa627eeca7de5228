/** The command check:contract. */
import { resolve } from 'node:path';
import { ContractError } from '../../../src/contract/document/document.js';
import { exitCodeOf, explainCommand } from '../../kit/command.js';
import { readAnyContract } from './any-contract.js';
import { CannotCheckError } from './cannot-check.js';
import { check, type Report } from './check.js';
import { type CommandLine, type ReporterName, readCommandLine, usage } from './command-line.js';
import { showProgress } from './progress.js';
import { jsonReport } from './reporters/json.js';
import { junitReport } from './reporters/junit.js';
import { tapReport } from './reporters/tap.js';
import { textReport } from './reporters/text.js';
import { readRules } from './rules.js';

const reporters: Readonly<Record<ReporterName, (report: Report) => string>> = {
  text: textReport,
  tap: tapReport,
  junit: junitReport,
  json: jsonReport,
};

type Environment = Parameters<typeof readCommandLine>[1];

/** @returns the exit code */
export function checkCommand(args: readonly string[], environment: Environment): Promise<number> {
  return exitCodeOf(() => main(args, environment), 2, explain);
}

async function main(args: readonly string[], environment: Environment): Promise<number> {
  const commandLine = readCommandLine(args, environment);
  if (commandLine === undefined) {
    console.log(usage);
    return 0;
  }
  const report = await run(commandLine);
  console.log(reporters[commandLine.reporter](report).trimEnd());
  if (report.findings.length > 0) return 1;
  return report.interrupted ? 2 : 0;
}

async function run(commandLine: CommandLine): Promise<Report> {
  const file = resolve(commandLine.contract);
  const { contract, leftOut } = await readAnyContract(file);
  const rules = await readRules(file);
  const interrupt = new AbortController();
  const onSignal = (): void => {
    // The second signal ends the command without cleaning up.
    if (interrupt.signal.aborted) process.exit(2);
    console.error('\nInterrupted: removing what the check created.');
    interrupt.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const progress = showProgress(commandLine.reporter);
  try {
    return await check({
      ...{ ...commandLine, contract, leftOut, rules },
      ...{ signal: interrupt.signal, onCase: progress.update },
    });
  } finally {
    progress.end();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function explain(error: unknown): string {
  const isExplained = error instanceof ContractError || error instanceof CannotCheckError;
  const isAbsentFile = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isExplained || isAbsentFile ? error.message : explainCommand(error, usage);
}
