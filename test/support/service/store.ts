import type { Test } from 'tap';
import { LongLists } from '../../../src/fairness/long-lists.js';
import { plantParts } from '../../../src/parts.js';
import { plantsTable } from '../../../src/plants/table.js';
import { Database } from '../../../src/postgres/database.js';
import { migrate } from '../../../src/postgres/migrations.js';
import { readOwnContract } from '../../../src/start/own-contract.js';
import { TableStore } from '../../../src/store/store.js';
import { columnsOf } from '../../../src/store/table.js';
import { makeDatabase } from '../postgres/database.js';

export type PlantStore = Awaited<ReturnType<typeof storeOf>>;

/** A store of plants in a database that has its tables. */
export async function storeOf(database: Database) {
  const columns = columnsOf(await readOwnContract(), plantsTable);
  return new TableStore(database, plantsTable, columns, new LongLists());
}

/** A store in a database of its own. */
export async function openStore(t: Test, statement = 8_000) {
  const url = await makeDatabase(t);
  await migrate(url, plantParts.migrationFolders);
  const database = new Database(url, () => {}, { statement });
  t.teardown(() => database.close());
  return { url, database, store: await storeOf(database) };
}
