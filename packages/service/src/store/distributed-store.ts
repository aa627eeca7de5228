/**
 * The store of a table that Citus distributes by owner (docs/scale/citus.md). Where the rest of the service says
 * distributed table, shard or coordinator, it means those of Citus 13: no other extension was tried.
 *
 * Citus keeps the rows of an owner in one shard, on one of its servers. A statement whose rows are in several
 * shards is a distributed transaction. If a server fails during its commit, items that were acknowledged are
 * hidden until Citus recovers them. So no statement of this store spans two shards:
 *
 * 1. For each owner, it asks Citus for the owner's shard, and keeps the answer for a minute.
 * 2. Each shard has a `TableStore` of its own, with queues and batches of its own. So only owners of the same
 *    shard share statements.
 * 3. Some statements are written in another form (`distributedStatements`), because Citus refuses the ordinary
 *    ones, or would send them to all servers.
 *
 * The cost: with many shards, fewer requests share a statement. A shard that was split is noticed after up to
 * a minute, and until then a statement can span its two parts.
 */
import { LRUCache } from 'lru-cache';
import type { LongLists } from '../fairness/long-lists.js';
import type { Owner } from '../identity/owner.js';
import type { Database } from '../postgres/database.js';
import { type Column, quoted } from './columns/columns.js';
import { eachFound, type FoundRow, foundColumns } from './statements/find.js';
import {
  columnNames,
  columnTypes,
  eachReturned,
  inKeyOrder,
  type Key,
  keyOf,
  type Row,
} from './statements/keys.js';
import { type Statements, statements } from './statements/statements.js';
import { type ListQuery, type Store, TableStore } from './store.js';
import type { StoredTable, Table, TableNames, TableTypes } from './table.js';

const maxCachedOwners = 100_000;
/** How long an owner's shard is remembered. A shard that was split is noticed after this time. */
const cachedForMs = 60_000;

/**
 * A store for each shard, and the way of an owner to its store. Its methods also ask for the shard, so each
 * of them can fail as `find` does.
 */
export class DistributedStore<Types extends TableTypes> implements Store<Types> {
  readonly #shards: LRUCache<Owner, string, number>;
  readonly #stores = new Map<string | undefined, TableStore<Types>>();
  readonly #openStore: () => TableStore<Types>;

  constructor(database: Database, table: Table<Types>, columns: readonly Column[], longLists: LongLists) {
    this.#openStore = () => new TableStore(database, table, columns, longLists, distributedStatements);
    this.#shards = new LRUCache({
      max: maxCachedOwners,
      ttl: cachedForMs,
      fetchMethod: (owner, _stale, { context: arrivedAt }) =>
        findShard(database, table, owner, arrivedAt + database.timeoutMs),
      // If the cache drops an entry during its look-up, the look-up goes on.
      ignoreFetchAbort: true,
    });
  }

  async create(
    owner: Owner,
    content: Types['created'],
    arrivedAt = performance.now(),
  ): ReturnType<Store<Types>['create']> {
    return (await this.#storeOf(owner, arrivedAt)).create(owner, content, arrivedAt);
  }

  async find(
    owner: Owner,
    id: Types['key'],
    arrivedAt = performance.now(),
  ): ReturnType<Store<Types>['find']> {
    return (await this.#storeOf(owner, arrivedAt)).find(owner, id, arrivedAt);
  }

  async list(
    owner: Owner,
    query: ListQuery<Types> = {},
    arrivedAt = performance.now(),
  ): ReturnType<Store<Types>['list']> {
    return (await this.#storeOf(owner, arrivedAt)).list(owner, query, arrivedAt);
  }

  async update(
    owner: Owner,
    item: Types['item'],
    arrivedAt = performance.now(),
  ): ReturnType<Store<Types>['update']> {
    return (await this.#storeOf(owner, arrivedAt)).update(owner, item, arrivedAt);
  }

  async delete(
    owner: Owner,
    id: Types['key'],
    arrivedAt = performance.now(),
  ): ReturnType<Store<Types>['delete']> {
    return (await this.#storeOf(owner, arrivedAt)).delete(owner, id, arrivedAt);
  }

  async #storeOf(owner: Owner, arrivedAt: number): Promise<TableStore<Types>> {
    const shard = this.#shards.get(owner) ?? (await this.#shards.fetch(owner, { context: arrivedAt }));
    const store = this.#stores.get(shard) ?? this.#openStore();
    this.#stores.set(shard, store);
    return store;
  }
}

/** @returns whether `pg_dist_partition`, which is there only with Citus, has the table */
export async function isDistributed(database: Database, { table }: StoredTable): Promise<boolean> {
  const catalogue = await database.query({
    text: "SELECT WHERE to_regclass('pg_dist_partition') IS NOT NULL",
    reads: true,
  });
  if (catalogue.rowCount === 0) return false;
  const { rowCount } = await database.query({
    text: 'SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass($1)',
    values: [table],
    reads: true,
  });
  return rowCount === 1;
}

async function findShard(
  database: Database,
  { table }: StoredTable,
  owner: Owner,
  deadline: number,
): Promise<string | undefined> {
  const { rows } = await database.query<{ shard: string }>({
    name: `find a shard of ${table}`,
    text: 'SELECT get_shard_id_for_distribution_column($1::regclass, $2::text)::text AS shard',
    values: [table, owner],
    reads: true,
    deadline,
  });
  return rows[0]?.shard;
}

/**
 * Citus sends all rows of an unnest to all workers, so these statements name each key. Their texts depend on
 * the number of rows, so only changes of one row are prepared. The lock timeout of the connection holds on the
 * coordinator only: Citus does not pass it on to its workers.
 */
function distributedStatements(database: Database, names: TableNames, longLists: LongLists): Statements {
  const ordinary = statements(database, names, longLists);
  const { table, owner: ownerName, key, keyType } = names;
  const keyTypes = ['text', keyType];
  const isOneOf = (count: number) => `(item.${ownerName}, item.${key}) IN (${tuples(keyTypes, count)})`;
  const keysOf = (keys: readonly Key[]) => keys.flatMap(({ owner, id }) => [owner, id]);
  const rowsOf = (rows: readonly Row[]) => rows.flatMap(({ owner, id, members }) => [owner, id, ...members]);
  const types = columnTypes(names);
  const nameOf = (verb: string, rows: readonly Key[]) =>
    rows.length === 1 ? `${verb} a row of ${names.name}` : undefined;
  const values = names.members.map(({ name }, at) => `${quoted(name)} = $${at + 3}`).join(', ');
  const update = async (row: Row, deadline: number): Promise<boolean> => {
    const { rowCount } = await database.query({
      name: nameOf('update', [row]),
      text: `UPDATE ${table} AS item SET ${values} WHERE item.${ownerName} = $1 AND item.${key} = $2`,
      values: rowsOf([row]),
      deadline,
    });
    return rowCount === 1;
  };
  return {
    create: {
      async run(rows, deadline) {
        const distinct = inKeyOrder(rows);
        const { rows: created } = await database.query<Key>({
          name: nameOf('create', distinct),
          text: `INSERT INTO ${table} AS item (${columnNames(names)}) VALUES ${tuples(types, distinct.length)}
                 ON CONFLICT (${ownerName}, ${key}) DO NOTHING RETURNING ${keyOf(names)}`,
          values: rowsOf(distinct),
          deadline,
        });
        return eachReturned(rows, created);
      },
    },
    async find(keys, deadline) {
      const wanted = inKeyOrder(keys);
      const { rows } = await database.query<FoundRow>({
        text: `SELECT ${foundColumns(names)} FROM ${table} AS item WHERE ${isOneOf(wanted.length)}`,
        values: keysOf(wanted),
        reads: true,
        deadline,
      });
      return eachFound(names.answered, keys, rows);
    },
    // Citus refuses an UPDATE that reads anything but its table, and Citus 13.2 ends with a signal at an
    // element of an array in SET. So each row has a statement, and a batch, of its own.
    update: {
      run: async ([row], deadline) => (row === undefined ? [] : [await update(row, deadline)]),
      maxBatchSize: 1,
    },
    delete: {
      async run(rows, deadline) {
        const distinct = inKeyOrder(rows);
        const { rows: deleted } = await database.query<Key>({
          name: nameOf('delete', distinct),
          text: `DELETE FROM ${table} AS item WHERE ${isOneOf(distinct.length)} RETURNING ${keyOf(names)}`,
          values: keysOf(distinct),
          deadline,
        });
        return eachReturned(rows, deleted);
      },
    },
    // Citus refuses the statement that reads the first pages of several lists.
    pages: (kind) => ({ ...ordinary.pages(kind), maxFirstPages: 1 }),
  };
}

/** @returns `($1::text, $2::bigint), ($3::text, $4::bigint)` and so on */
function tuples(types: readonly string[], count: number): string {
  const tuple = (row: number) =>
    `(${types.map((type, at) => `$${row * types.length + at + 1}::${type}`).join(', ')})`;
  return Array.from({ length: count }, (_, row) => tuple(row)).join(', ');
}
