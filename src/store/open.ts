import type { Contract } from '../contract/document/document.js';
import type { LongLists } from '../fairness/long-lists.js';
import type { Database } from '../postgres/database.js';
import { type Store, TableStore } from './store.js';
import { columnsOf, type StoredTable, type Table, type TableTypes } from './table.js';

/** @param longLists the slots for long lists, which all tables share */
export async function openStore<Types extends TableTypes>(
  contract: Contract,
  database: Database,
  table: Table<Types>,
  longLists: LongLists,
): Promise<Store<Types>> {
  const columns = columnsOf(contract, table);
  if (!(await isDistributed(database, table))) return new TableStore(database, table, columns, longLists);
  const { CitusStore } = await import('./citus.js');
  return new CitusStore(database, table, columns, longLists);
}

/** Citus has a table of distributed tables. */
async function isDistributed(database: Database, { table }: StoredTable): Promise<boolean> {
  const citus = await database.query({
    text: "SELECT WHERE to_regclass('pg_dist_partition') IS NOT NULL",
    reads: true,
  });
  if (citus.rowCount === 0) return false;
  const { rowCount } = await database.query({
    text: 'SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass($1)',
    values: [table],
    reads: true,
  });
  return rowCount === 1;
}
