import type { Contract } from '../contract/contract.js';
import type { LongLists } from '../fairness/long-lists.js';
import type { Database } from '../postgres/database.js';
import type { CitusStore } from './citus.js';
import { TableStore } from './store.js';
import { columnsOf, type StoredTable, type Table, type TableTypes } from './table.js';

/**
 * Makes the store of a table: that of Citus if the table is distributed, and otherwise the ordinary one.
 *
 * @param longLists the slots for long lists, which all tables share
 * @throws {ContractError} if the contract has no schema of this name, or if it admits members without a name
 * @throws {DatabaseUnavailableError} if the database cannot say whether the table is distributed
 */
export async function openStore<Types extends TableTypes>(
  contract: Contract,
  database: Database,
  table: Table<Types>,
  longLists: LongLists,
): Promise<TableStore<Types> | CitusStore<Types>> {
  const columns = columnsOf(contract, table);
  if (!(await isDistributed(database, table))) return new TableStore(database, table, columns, longLists);
  const { CitusStore } = await import('./citus.js');
  return new CitusStore(database, table, columns, longLists);
}

/** Looks into `pg_dist_partition`, which is there only with Citus, and names the distributed tables. */
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
