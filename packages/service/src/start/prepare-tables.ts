/**
 * Brings the tables of a database to what this version needs, and checks them. The start, `plant-store
 * migrate` and `plant-store check` all ask here, so that none of them promises what another refuses.
 */
import type { Contract } from '../contract/contract.js';
import type { Database } from '../postgres/database.js';
import { type MigrateOptions, migrate } from '../postgres/migrations.js';
import type { ServiceDefinition } from '../resources/service-of.js';
import { checkTables } from '../store/start/check-tables.js';
import { hiddenValues } from '../store/start/hidden-values.js';
import { vacuumSooner } from '../store/start/vacuum-sooner.js';

interface PrepareOptions extends Pick<MigrateOptions, 'breaking' | 'isRehearsal' | 'signal'> {
  /** Is told what the service can start with, and an operator should know. */
  readonly warn: (message: string) => void;
}

/**
 * Applies the new migrations, checks that the tables fit the contract, and lets autovacuum come to them sooner.
 *
 * @param database another way to the database of `url`
 * @returns the names of the migrations that were applied, or that would be if this were no rehearsal
 * @throws {ContractError} if the tables would not fit the contract
 * @throws {StartError} if they do not, because a newer version has changed them
 * @throws {MigrationError} if a migration fails or is refused
 * @throws {DatabaseUnavailableError} if a retry can help
 */
export async function prepareTables(
  { tables, migrationFolders }: Pick<ServiceDefinition, 'tables' | 'migrationFolders'>,
  contract: Contract,
  url: string,
  database: Database,
  { warn, ...options }: PrepareOptions,
): Promise<string[]> {
  let isNewer = false;
  const check: MigrateOptions['check'] = async (inMigration, unknown) => {
    isNewer = unknown.length > 0;
    for (const sentence of await checkTables(contract, inMigration, tables, unknown)) warn(sentence);
    // A rehearsal would wait for a vacuum, or end it, for what it rolls back.
    if (!options.isRehearsal) await vacuumSooner(inMigration, tables);
  };
  const applied = await migrate(url, migrationFolders, { check, warn, ...options });
  // This version cannot know which columns a newer one has, and why.
  if (!isNewer) for (const sentence of await hiddenValues(contract, database, tables)) warn(sentence);
  return applied;
}
