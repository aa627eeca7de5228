/** Opens the store of plants without the service around it. */
import type { Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { plantsTable } from '../../../../src/plants/table.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { TableStore } from '../../src/store/store.js';
import { columnsOf } from '../../src/store/table.js';
import { makeDatabase } from './postgres/database.js';

export type PlantStore = Awaited<ReturnType<typeof storeOf>>;

/** Opens a store of plants in a database that has its tables. */
export async function storeOf(database: Database) {
  const columns = columnsOf(await plantStore.readContract(), plantsTable);
  return new TableStore(database, plantsTable, columns, new LongLists());
}

/**
 * Opens a store in a database of its own, which is dropped when the test ends.
 *
 * @param statement the time limit of each statement in milliseconds
 */
export async function openStore(t: Test, statement = 8_000) {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  const database = new Database(url, () => {}, { statement });
  t.teardown(() => database.close());
  return { url, database, store: await storeOf(database) };
}
