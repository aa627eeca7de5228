import { inspect } from 'node:util';
import { ContractError } from './contract/document.js';
import { EmbeddedPostgresError } from './postgres/binaries.js';
import { DatabaseUnavailableError } from './postgres/database.js';
import { isUnavailable } from './postgres/sqlstate.js';
import { SettingsError } from './settings.js';

/** What a command that could not start prints: a line for what its caller can mend, everything for what not. */
export function explainFailure(error: unknown): string {
  if (
    error instanceof SettingsError ||
    error instanceof ContractError ||
    error instanceof EmbeddedPostgresError
  ) {
    return error.message;
  }
  if (error instanceof DatabaseUnavailableError)
    return `The database cannot be reached: ${reason(error.cause)}.`;
  if (isUnavailable(error)) return `The database cannot be reached: ${reason(error)}.`;
  // A port that is taken, an address that is not ours.
  if (error instanceof Error && 'syscall' in error && error.syscall === 'listen') {
    return `${error.message}: set HOST and PORT to an address that is free.`;
  }
  return inspect(error);
}

/** A name that has several addresses fails with one error for each. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join(', ');
  return error instanceof Error ? error.message : String(error);
}
