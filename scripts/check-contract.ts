/** `npm run check:contract -- --url URL`: checks that a running server keeps the contract. */
import { resolve } from 'node:path';
import { ContractError, readContract } from '../src/contract/document/document.js';
import { CannotCheckError } from './check/cannot-check.js';
import { check, type Report } from './check/check.js';
import { type CommandLine, type ReporterName, readCommandLine, usage } from './check/command-line.js';
import { showProgress } from './check/progress.js';
import { jsonReport } from './check/reporters/json.js';
import { junitReport } from './check/reporters/junit.js';
import { tapReport } from './check/reporters/tap.js';
import { textReport } from './check/reporters/text.js';
import { explainCommand, runCommand } from './kit/command.js';

const reporters: Readonly<Record<ReporterName, (report: Report) => string>> = {
  text: textReport,
  tap: tapReport,
  junit: junitReport,
  json: jsonReport,
};

async function main(): Promise<number> {
  const commandLine = readCommandLine(process.argv.slice(2), process.env);
  if (commandLine === undefined) {
    console.log(usage);
    return 0;
  }
  const report = await run(commandLine);
  process.stdout.write(reporters[commandLine.reporter](report));
  if (report.findings.length > 0) return 1;
  return report.interrupted ? 2 : 0;
}

async function run(commandLine: CommandLine): Promise<Report> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The second signal ends the command without cleaning up.
      if (interrupt.signal.aborted) process.exit(2);
      console.error('\nInterrupted: removing what the check created.');
      interrupt.abort();
    });
  }
  const contract = await readContract(resolve(commandLine.contract));
  const progress = showProgress(commandLine.reporter);
  try {
    return await check({ ...commandLine, contract, signal: interrupt.signal, onCase: progress.update });
  } finally {
    progress.end();
  }
}

function explain(error: unknown): string {
  const isExplained = error instanceof ContractError || error instanceof CannotCheckError;
  const isAbsentFile = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isExplained || isAbsentFile ? error.message : explainCommand(error, usage);
}

await runCommand(main, 2, explain);
