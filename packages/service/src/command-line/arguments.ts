/**
 * Reads the arguments of commands, by the `parseArgs` of Node.js. A wrong command line is a UsageError, which
 * ends the program with exit code 2.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { reasonOf } from '../errors/reason.js';

/**
 * The command line is wrong. The message says what is wrong with it, and the usage of the command is printed
 * below it.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Does what `parseArgs` of Node.js does.
 *
 * @throws {UsageError} if an option is unknown, or lacks its value
 */
export function parseArguments<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}

/**
 * Checks the arguments of a command that takes none.
 *
 * @throws {UsageError} if there is one
 */
export function refuseArguments([first]: readonly string[]): void {
  if (first !== undefined) throw new UsageError(`"${first}" is one argument too many.`);
}
