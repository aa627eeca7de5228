/** How commands begin and end. */
import { UsageError } from '../../src/command-line/arguments.js';
import { explainFailure } from '../../src/start/explain-failure.js';

export { parseArguments, UsageError } from '../../src/command-line/arguments.js';

/**
 * Runs a command. Its exit code is what `main` gives; if that fails, stderr says why.
 *
 * @param failureCode 2 for commands whose 1 is a verdict
 */
export async function runCommand(
  main: () => Promise<number>,
  failureCode: 1 | 2,
  explain: (error: unknown) => string = explainCommand,
): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(explain(error));
    process.exitCode = failureCode;
  }
}

/** @param usage shown below what is wrong with the command line */
export function explainCommand(error: unknown, usage?: string): string {
  if (!(error instanceof UsageError)) return explainFailure(error);
  return usage === undefined ? error.message : `${error.message}\n\n${usage}`;
}
