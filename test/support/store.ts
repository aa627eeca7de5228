import type { Test } from 'tap';
import { migrationFolders } from '../../src/parts.js';
import { PlantStore } from '../../src/plants/store.js';
import { plantsTable } from '../../src/plants/table.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { readOwnContract } from '../../src/start/own-contract.js';
import { columnsOf } from '../../src/storage/stored-schema.js';
import { makeDatabase } from './database.js';

/** A store of plants in a database that has its tables. */
export async function storeOf(database: Database): Promise<PlantStore> {
  return new PlantStore(database, columnsOf(await readOwnContract(), plantsTable));
}

/** A store in a database of its own. */
export async function openStore(t: Test, statement = 8_000) {
  const url = await makeDatabase(t);
  await migrate(url, migrationFolders);
  const database = new Database(url, () => {}, { statement });
  t.teardown(() => database.close());
  return { url, database, store: await storeOf(database) };
}
