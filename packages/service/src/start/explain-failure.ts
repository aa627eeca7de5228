import { inspect } from 'node:util';
import { ContractError, withExcerpts } from '../../../exact-json/index.js';
import { RefusedStatementError } from '../errors/database.js';
import { StartError } from '../errors/start.js';
import { ServiceUnavailableError } from '../errors/unavailable.js';
import { explainOpenFiles } from './open-files.js';

/**
 * Puts a failed start into words.
 *
 * @returns a sentence if somebody expected the error; the lines of the YAML with their faults if it is a
 * ContractError; otherwise the error with its stack
 */
export function explainFailure(error: unknown): string {
  if (error instanceof ContractError) return withExcerpts(error.message);
  if (error instanceof StartError || error instanceof ServiceUnavailableError) return error.message;
  if (error instanceof RefusedStatementError && error.canBeMended)
    return `${error.message} Use an account that has the right, or mend the table: docs/postgresql.md.`;
  return explainOpenFiles(error) ?? inspect(error);
}
