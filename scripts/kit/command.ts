/** How commands begin and end. */
import { UsageError } from '../../src/command-line/arguments.js';
import { explainFailure } from '../../src/start/explain-failure.js';

export { parseArguments, UsageError } from '../../src/command-line/arguments.js';

/**
 * Runs a command.
 *
 * @param failureCode 2 for commands whose 1 is a verdict
 * @returns the exit code: what `main` gives, or the failure code if it fails; then stderr says why
 */
export async function exitCodeOf(
  main: () => Promise<number>,
  failureCode: 1 | 2,
  explain: (error: unknown) => string = explainCommand,
): Promise<number> {
  try {
    return await main();
  } catch (error) {
    console.error(explain(error));
    return failureCode;
  }
}

/** Runs a command as this process, whose exit code is that of the command. */
export async function runCommand(...command: Parameters<typeof exitCodeOf>): Promise<void> {
  process.exitCode = await exitCodeOf(...command);
}

/** @param usage shown below what is wrong with the command line */
export function explainCommand(error: unknown, usage?: string): string {
  if (!(error instanceof UsageError)) return explainFailure(error);
  return usage === undefined ? error.message : `${error.message}\n\n${usage}`;
}
