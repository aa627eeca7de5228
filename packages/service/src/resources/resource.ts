/** Says what a resource is: a table, and the handlers of the operations that use it. */
import type { Contract } from '../contract/contract.js';
import type { AnyHandler } from '../contract/handlers.js';
import type { LongLists } from '../fairness/long-lists.js';
import type { Database } from '../postgres/database.js';
import { openStore } from '../store/open.js';
import type { Store } from '../store/store.js';
import type { StoredTable, Table, TableTypes } from '../store/table.js';

/** The handlers of operations, by operationId. */
export type Handlers = Readonly<Record<string, AnyHandler>>;

/** A table, and the handlers of the operations that use it. */
export interface Resource<Bound extends Handlers = Handlers> {
  readonly table: StoredTable;
  /**
   * Makes the store of the table, and the handlers that use it.
   *
   * @param longLists the slots for long lists, which all resources share
   * @throws {ContractError} if the contract does not have the schema of the table
   * @throws {DatabaseUnavailableError} if the database cannot say whether the table is distributed
   */
  readonly open: (contract: Contract, database: Database, longLists: LongLists) => Promise<Bound>;
}

/**
 * @param handlersOf makes the handlers, once the store of the table is open
 * @returns the resource, and `handlersOf` for stores of another kind, such as one in memory
 */
export function resourceOf<Types extends TableTypes, Bound extends Handlers>(
  table: Table<Types>,
  handlersOf: (store: Store<Types>) => Bound,
): Resource<Bound> & { readonly handlersOf: typeof handlersOf } {
  return {
    table,
    handlersOf,
    open: async (contract, database, longLists) =>
      handlersOf(await openStore(contract, database, table, longLists)),
  };
}
