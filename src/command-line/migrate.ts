import { readContract } from '../contract/document/document.js';
import { checkContract } from '../contract/start/check.js';
import { migrationFolders, storedSchemas } from '../parts.js';
import { migrate } from '../postgres/migrations.js';
import { contractFile } from '../project.js';
import { checkTables } from '../storage/check-tables.js';
import { refuseArguments } from './arguments.js';
import { borrowPostgres } from './borrow-postgres.js';

export const usage = `Applies the new migrations in one transaction, as the start of the service does.

  plant-store migrate

  Only this command and the first start need an account that may create tables: docs/postgresql.md.`;

export async function run(parameters: string[]): Promise<number> {
  refuseArguments(parameters);
  const contract = await readContract(contractFile);
  checkContract(contract);
  const postgres = await borrowPostgres();
  try {
    const applied = await migrate(postgres.url, migrationFolders, (tables) =>
      checkTables(contract, tables, storedSchemas),
    );
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'There is no new migration.');
    return 0;
  } finally {
    await postgres.stop();
  }
}
