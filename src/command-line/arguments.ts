import { type ParseArgsConfig, parseArgs } from 'node:util';
import { reasonOf } from '../errors/reason.js';

/**
 * The command line is wrong. The message says what is wrong, and the usage of the command is printed below
 * it.
 */
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

/** @throws {UsageError} if there are arguments, for commands that take none */
export function refuseArguments([first]: readonly string[]): void {
  if (first !== undefined) throw new UsageError(`"${first}" is one argument too many.`);
}
