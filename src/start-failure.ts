import { inspect } from 'node:util';
import { ContractError } from './contract/document.js';
import { withExcerpts } from './contract/excerpt.js';
import { EmbeddedPostgresError } from './postgres/binaries.js';
import { DatabaseUnavailableError } from './postgres/database.js';
import { MigrationError } from './postgres/migrations.js';
import { SettingsError } from './settings.js';

/** Errors that a person can mend, and whose message says how. */
const explained = [SettingsError, EmbeddedPostgresError, DatabaseUnavailableError, MigrationError];

/**
 * What a command prints if it cannot start: the message of an error that a person can mend, or all of another
 * one.
 */
export function explainFailure(error: unknown): string {
  if (error instanceof ContractError) return withExcerpts(error.message);
  return explained.some((kind) => error instanceof kind) && error instanceof Error
    ? error.message
    : inspect(error);
}
