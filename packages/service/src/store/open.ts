/**
 * Opens the store of a table: one for each shard if the table is distributed, and otherwise the ordinary one.
 *
 * An operator can distribute a table while the service runs. From then on, PostgreSQL refuses statements of the ordinary
 * store. So if a statement fails in a way that nobody expects, the database is asked again whether the table is
 * distributed. If it is, the request is a 503, and the next one finds the other store.
 */
import pg from 'pg';
import type { Contract } from '../contract/contract.js';
import { RefusedStatementError } from '../errors/database.js';
import { ServiceUnavailableError } from '../errors/unavailable.js';
import type { LongLists } from '../fairness/long-lists.js';
import type { Owner } from '../identity/owner.js';
import type { Database } from '../postgres/database.js';
import { DistributedStore, isDistributed } from './distributed-store.js';
import { type ListQuery, type Store, TableStore } from './store.js';
import { columnsOf, type Table, type TableTypes } from './table.js';

/**
 * @param longLists the slots for long lists, which all tables share
 * @throws {ContractError} if the contract has no schema of this name, or if it admits members without a name
 * @throws {DatabaseUnavailableError} if the database cannot say whether the table is distributed
 */
export async function openStore<Types extends TableTypes>(
  contract: Contract,
  database: Database,
  table: Table<Types>,
  longLists: LongLists,
): Promise<OrdinaryStore<Types> | DistributedStore<Types>> {
  const columns = columnsOf(contract, table);
  const openDistributed = async (): Promise<DistributedStore<Types> | undefined> => {
    if (!(await isDistributed(database, table))) return undefined;
    return new DistributedStore(database, table, columns, longLists);
  };
  return (
    (await openDistributed()) ??
    new OrdinaryStore(new TableStore(database, table, columns, longLists), async () => {
      const distributed = await openDistributed();
      if (distributed !== undefined) database.renewConnections();
      return distributed;
    })
  );
}

/** A store until its table is distributed, and from then on the way to the other one. */
class OrdinaryStore<Types extends TableTypes> implements Store<Types> {
  readonly #ordinary: TableStore<Types>;
  readonly #openDistributed: () => Promise<DistributedStore<Types> | undefined>;
  #distributed: DistributedStore<Types> | undefined;
  /** Set while the database is asked, so that requests that fail together ask once. */
  #asked: Promise<DistributedStore<Types> | undefined> | undefined;

  constructor(
    ordinary: TableStore<Types>,
    openDistributed: () => Promise<DistributedStore<Types> | undefined>,
  ) {
    this.#ordinary = ordinary;
    this.#openDistributed = openDistributed;
  }

  create(owner: Owner, content: Types['created'], arrivedAt?: number): ReturnType<Store<Types>['create']> {
    return (
      this.#distributed?.create(owner, content, arrivedAt) ??
      this.#ordinary.create(owner, content, arrivedAt).catch(this.#explain)
    );
  }

  find(owner: Owner, id: Types['key'], arrivedAt?: number): ReturnType<Store<Types>['find']> {
    return (
      this.#distributed?.find(owner, id, arrivedAt) ??
      this.#ordinary.find(owner, id, arrivedAt).catch(this.#explain)
    );
  }

  list(owner: Owner, query: ListQuery<Types> = {}, arrivedAt?: number): ReturnType<Store<Types>['list']> {
    return (
      this.#distributed?.list(owner, query, arrivedAt) ??
      this.#ordinary.list(owner, query, arrivedAt).catch(this.#explain)
    );
  }

  update(owner: Owner, item: Types['item'], arrivedAt?: number): ReturnType<Store<Types>['update']> {
    return (
      this.#distributed?.update(owner, item, arrivedAt) ??
      this.#ordinary.update(owner, item, arrivedAt).catch(this.#explain)
    );
  }

  delete(owner: Owner, id: Types['key'], arrivedAt?: number): ReturnType<Store<Types>['delete']> {
    return (
      this.#distributed?.delete(owner, id, arrivedAt) ??
      this.#ordinary.delete(owner, id, arrivedAt).catch(this.#explain)
    );
  }

  /** Looks whether the table is distributed meanwhile, if PostgreSQL has refused a statement. */
  readonly #explain = async (error: unknown): Promise<never> => {
    if (!isUnexpected(error)) throw error;
    this.#asked ??= this.#openDistributed().finally(() => {
      this.#asked = undefined;
    });
    this.#distributed ??= await this.#asked;
    if (this.#distributed === undefined) throw error;
    throw new ServiceUnavailableError('Refused: the table was distributed while the service runs.');
  };
}

/** @returns whether PostgreSQL refuses the statement for a reason that would be a 500 */
function isUnexpected(error: unknown): boolean {
  return error instanceof pg.DatabaseError || error instanceof RefusedStatementError;
}
