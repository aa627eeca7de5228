import { inspect } from 'node:util';
import { ContractError } from '../contract/document/contract-error.js';
import { withExcerpts } from '../contract/document/excerpt.js';
import { DatabaseUnavailableError } from '../errors/database.js';
import { StartError } from '../errors/start.js';
import { explainOpenFiles } from './open-files.js';

/**
 * @returns what a command prints if it cannot start: a sentence, or the lines of the YAML with their faults;
 * with a stack only if nobody expected the error
 */
export function explainFailure(error: unknown): string {
  if (error instanceof ContractError) return withExcerpts(error.message);
  if (error instanceof StartError || error instanceof DatabaseUnavailableError) return error.message;
  return explainOpenFiles(error) ?? inspect(error);
}
