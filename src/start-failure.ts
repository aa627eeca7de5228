import { inspect } from 'node:util';
import { ContractError } from './contract/document.js';
import { withExcerpts } from './contract/excerpt.js';
import { EmbeddedPostgresError } from './postgres/binaries.js';
import { DatabaseUnavailableError } from './postgres/database.js';
import { MigrationError } from './postgres/migrations.js';
import { SettingsError } from './settings.js';

/** What its caller can mend, and what the message says enough about. */
const explained = [SettingsError, EmbeddedPostgresError, DatabaseUnavailableError, MigrationError];

/** What a command that could not start prints: a line for what its caller can mend, everything for what not. */
export function explainFailure(error: unknown): string {
  if (error instanceof ContractError) return withExcerpts(error.message);
  return explained.some((kind) => error instanceof kind) && error instanceof Error
    ? error.message
    : inspect(error);
}
