/** Citus: plants are distributed by owner. Each statement goes to one shard (docs/scale/citus.md). */
import { LRUCache } from 'lru-cache';
import { LongLists } from '../fairness/long-lists.js';
import type { Owner } from '../fairness/owner.js';
import type { Database } from '../postgres/database.js';
import { type Column, quoted } from '../storage/columns.js';
import { eachReturned, inKeyOrder, type Key } from '../storage/keys.js';
import { eachFound, type FoundRow, foundColumns } from './find.js';
import { plantPages } from './list.js';
import { type PlantStatements, plantStatements } from './statements.js';
import { PlantStore, type Plants } from './store.js';

/** `lifetime` in milliseconds, after which a shard that was split is noticed. */
const cache = { owners: 100_000, lifetime: 60_000 };

/**
 * A store for each shard, so that a batch has one shard. A batch of several would be a distributed
 * transaction: if a worker fails during its commit, acknowledged plants are hidden until Citus recovers it.
 */
export class CitusPlants implements Plants {
  readonly #shards: LRUCache<Owner, string>;
  readonly #stores = new Map<string | undefined, PlantStore>();
  readonly #openStore: () => PlantStore;

  /** @param columns those of plantsTable */
  constructor(database: Database, columns: readonly Column[]) {
    const longLists = new LongLists();
    this.#openStore = () =>
      new PlantStore(database, columns, (...given) => citusStatements(...given, longLists));
    this.#shards = new LRUCache({
      max: cache.owners,
      ttl: cache.lifetime,
      fetchMethod: (owner) => findShard(database, owner),
      // An evicted look-up still answers.
      ignoreFetchAbort: true,
    });
  }

  async create(owner: Owner, plant: Parameters<PlantStore['create']>[1]): ReturnType<PlantStore['create']> {
    return (await this.#storeOf(owner)).create(owner, plant);
  }

  async find(owner: Owner, id: bigint): ReturnType<PlantStore['find']> {
    return (await this.#storeOf(owner)).find(owner, id);
  }

  async list(owner: Owner, limit?: number): ReturnType<PlantStore['list']> {
    return (await this.#storeOf(owner)).list(owner, limit);
  }

  async delete(owner: Owner, id: bigint): Promise<boolean> {
    return (await this.#storeOf(owner)).delete(owner, id);
  }

  async #storeOf(owner: Owner): Promise<PlantStore> {
    const shard = this.#shards.get(owner) ?? (await this.#shards.fetch(owner));
    const store = this.#stores.get(shard) ?? this.#openStore();
    this.#stores.set(shard, store);
    return store;
  }
}

async function findShard(database: Database, owner: Owner): Promise<string | undefined> {
  const { rows } = await database.query<{ shard: string }>({
    name: 'find a shard',
    text: "SELECT get_shard_id_for_distribution_column('plants', $1::text)::text AS shard",
    values: [owner],
    reads: true,
  });
  return rows[0]?.shard;
}

/** Citus sends all plants of an unnest to all workers, so these statements name each key. */
function citusStatements(
  database: Database,
  columns: readonly Column[],
  longLists: LongLists,
): PlantStatements {
  const ordinary = plantStatements(database, columns);
  const keyTypes = ['text', 'bigint'];
  const types = [...keyTypes, ...columns.map(({ type }) => type)];
  const names = ['owner', 'id', ...columns.map(({ name }) => quoted(name))].join(', ');
  const isKey = (count: number) => `(owner, id) IN (${tuples(keyTypes, count)})`;
  const valuesOf = (keys: readonly Key[]) => keys.flatMap(({ owner, id }) => [owner, id]);
  const pages = plantPages(database, columns, firstPage, longLists);
  return {
    async create(plants, deadline) {
      if (plants.length === 1) return ordinary.create(plants, deadline);
      const rows = inKeyOrder(plants);
      const { rows: created } = await database.query<Key>({
        text: `INSERT INTO plants (${names}) VALUES ${tuples(types, rows.length)}
               ON CONFLICT DO NOTHING RETURNING owner, id`,
        values: rows.flatMap(({ owner, id, parameters }) => [owner, id, ...parameters]),
        deadline,
      });
      return eachReturned(plants, created);
    },
    async find(keys, deadline) {
      const wanted = inKeyOrder(keys);
      const { rows } = await database.query<FoundRow>({
        text: `SELECT ${foundColumns(columns)} FROM plants WHERE ${isKey(wanted.length)}`,
        values: valuesOf(wanted),
        reads: true,
        deadline,
      });
      return eachFound(columns, keys, rows);
    },
    async delete(keys, deadline) {
      if (keys.length === 1) return ordinary.deletePatiently(keys, deadline);
      const wanted = inKeyOrder(keys);
      const { rows } = await database.query<Key>({
        text: `DELETE FROM plants WHERE ${isKey(wanted.length)} RETURNING owner, id`,
        values: valuesOf(wanted),
        deadline,
      });
      return eachReturned(keys, rows);
    },
    deletePatiently: ordinary.deletePatiently,
    pages: {
      ...pages,
      async readFirst(lists, deadline) {
        return (await Promise.all(lists.map((list) => pages.readFirst([list], deadline)))).flat();
      },
    },
  };
}

/** ($1::text, $2::bigint), ($3::text, $4::bigint) and so on. */
function tuples(types: readonly string[], count: number): string {
  const tuple = (row: number) =>
    `(${types.map((type, at) => `$${row * types.length + at + 1}::${type}`).join(', ')})`;
  return Array.from({ length: count }, (_, row) => tuple(row)).join(', ');
}

/** Reads one list's first page: with several lists, Citus refuses the statement. */
function firstPage(page: string, firstOf: (which: string, limit: string) => string): string {
  return `SELECT ${page}, ($4::int[])[1] AS size
          FROM (${firstOf('owner = ($3::text[])[1]', '($4::int[])[1]')}) AS plant`;
}
