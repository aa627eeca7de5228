import { inspect } from 'node:util';
import { ContractError } from './contract/document.js';
import { withExcerpts } from './contract/excerpt.js';
import { EmbeddedPostgresError } from './postgres/binaries.js';
import { DatabaseUnavailableError } from './postgres/database.js';
import { MigrationError } from './postgres/migrations.js';
import { SettingsError } from './settings.js';

/** Their messages tell a person what to do. */
const explained = [SettingsError, EmbeddedPostgresError, DatabaseUnavailableError, MigrationError];

/** What a command prints if it cannot start. */
export function explainFailure(error: unknown): string {
  if (error instanceof ContractError) return withExcerpts(error.message);
  return explained.some((kind) => error instanceof kind) && error instanceof Error
    ? error.message
    : inspect(error);
}
