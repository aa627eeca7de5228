/** How commands begin and end. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { reasonOf } from '../../src/reason.js';
import { explainFailure } from '../../src/start/explain-failure.js';

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws {UsageError} if an option is unknown, or lacks its value */
export function parseArguments<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

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
