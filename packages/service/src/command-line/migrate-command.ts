/**
 * The command `plant-store migrate`. An operator uses it if the service's own account may not create tables,
 * or if migrations should be applied before the replicas are restarted.
 */
import { Database } from '../postgres/database.js';
import type { ServiceDefinition } from '../resources/service-of.js';
import { readBreakingMigrations } from '../settings.js';
import { prepareTables } from '../start/prepare-tables.js';
import { refuseArguments } from './arguments.js';
import { borrowPostgres } from './borrow-postgres.js';
import type { Program } from './program.js';

export const usage = (
  program: string,
) => `Applies the new migrations in one transaction, as the start of the service does.

  ${program} migrate

  Migrations that would break replicas of the version before are refused, unless BREAKING_MIGRATIONS is "apply":
  docs/scale/replicas.md.

  Only this command and the first start need an account that may create tables: docs/postgresql.md.`;

/**
 * @returns the exit code
 * @throws {UsageError} if there are arguments
 * @throws {Error} as `borrowPostgres` and `applyMigrations` do
 */
export async function run(parameters: string[], { loadService, embedded }: Program): Promise<number> {
  refuseArguments(parameters);
  const postgres = await borrowPostgres(embedded);
  try {
    const applied = await applyMigrations(await loadService(), postgres.url);
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'There is no new migration.');
    return 0;
  } finally {
    await postgres.stop();
  }
}

/**
 * Applies the new migrations, and checks that the tables fit the contract.
 *
 * @returns the names of those that were applied
 * @throws {SettingsError} if BREAKING_MIGRATIONS is wrong
 * @throws {ContractError} if the tables would not fit the contract, or generated/ is stale
 * @throws {MigrationError} if a migration fails or is refused
 * @throws {DatabaseUnavailableError} if a retry can help
 */
export async function applyMigrations(service: ServiceDefinition, url: string): Promise<string[]> {
  const breaking = readBreakingMigrations();
  const contract = await service.readContract();
  const database = new Database(url, () => {});
  try {
    const warn = (message: string) => console.error(message);
    return await prepareTables(service, contract, url, database, { breaking, warn });
  } finally {
    await database.close();
  }
}
