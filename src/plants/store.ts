import type { Owner } from '../access/bearer.js';
import { Coalescer } from '../postgres/coalescer.js';
import { type Database, DatabaseUnavailableError, type Statement } from '../postgres/database.js';

export interface Plant {
  readonly name: string;
  readonly tag?: string;
}

export interface NewPlant extends Plant {
  readonly id: bigint;
}

/** The owner has a plant with this id already, and it is another. */
export class PlantConflictError extends Error {
  override readonly name = 'PlantConflictError';
}

/** The owner has no plant with this id. */
export class PlantNotFoundError extends Error {
  override readonly name = 'PlantNotFoundError';
}

interface Key {
  readonly owner: Owner;
  readonly id: bigint;
}

interface OwnedPlant extends Key {
  readonly name: string;
  readonly tag: string | null;
}

/** The range of PostgreSQL's bigint. */
const [leastId, greatestId] = [-(2n ** 63n), 2n ** 63n - 1n];
/** The first page of a list is small, so that its first bytes come at once; the others are large, to be quick. */
const pageSizes = { first: 100, other: 2_000 };
/** Lists of more than one page that are read at the same time; each holds two pages in memory. */
const longLists = 100;

/** The plants of all owners, each of whom sees its own. Simultaneous creates share a statement, and so do deletes. */
export class PlantStore {
  readonly #database: Database;
  readonly #creates: Coalescer<OwnedPlant, OwnedPlant>;
  readonly #deletes: Coalescer<Key, boolean>;
  #longLists = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#creates = new Coalescer({
      run: (plants) => insertPlants(database, plants),
      sizeOf: ({ owner, name, tag }) => owner.length + name.length + (tag?.length ?? 0),
      repeatable: true,
    });
    this.#deletes = new Coalescer({
      run: (keys) => deletePlants(database, keys),
      sizeOf: ({ owner }) => owner.length,
      repeatable: false,
    });
  }

  /**
   * Stores a plant; it is committed when this returns. Storing the same plant again changes nothing.
   *
   * @throws {PlantConflictError} where the owner has another plant with this id
   */
  async create(owner: Owner, { id, name, ...plant }: NewPlant): Promise<Plant> {
    const tag = plant.tag ?? null;
    const stored = await this.#creates.submit({ owner, id, name, tag });
    if (stored.name !== name || stored.tag !== tag) {
      throw new PlantConflictError('A plant with this id and other content exists already.');
    }
    return toPlant(stored);
  }

  /**
   * One plant.
   *
   * @throws {PlantNotFoundError} where the owner has none with this id
   */
  async get(owner: Owner, id: bigint): Promise<Plant> {
    const { rows } = await this.#database.query<Pick<OwnedPlant, 'name' | 'tag'>>({
      text: 'SELECT name, tag FROM plants WHERE owner = $1 AND id = $2',
      values: [owner, id],
    });
    const [plant] = rows;
    if (plant === undefined) throw new PlantNotFoundError('There is no plant with this id.');
    return toPlant(plant);
  }

  /**
   * The owner's plants by ascending id, all of them or the first `limit`: a short list whole, a long one in
   * pages. No connection is held between two pages, so that a slow reader holds none.
   *
   * @throws {DatabaseUnavailableError} where too many long lists are being read
   */
  async list(owner: Owner, limit = Number.POSITIVE_INFINITY): Promise<Plant[] | AsyncIterable<Plant[]>> {
    const first = await readPage(this.#database, owner, leastId, Math.min(pageSizes.first, limit));
    if (first.next === undefined || first.plants.length >= limit) return first.plants;
    if (this.#longLists >= longLists)
      throw new DatabaseUnavailableError(`${longLists} long lists are being read already`);
    return this.#readOn(owner, first, limit);
  }

  async *#readOn(owner: Owner, first: Page, limit: number): AsyncGenerator<Plant[]> {
    this.#longLists++;
    try {
      let remaining = limit;
      for (let page = first; ; ) {
        remaining -= page.plants.length;
        // PostgreSQL reads the next page while this one is on its way to the client.
        const next =
          page.next === undefined || remaining === 0
            ? undefined
            : readPage(this.#database, owner, page.next, Math.min(pageSizes.other, remaining));
        // Whoever stops reading before it is here does not hear of its failure.
        next?.catch(() => {});
        yield page.plants;
        if (next === undefined) return;
        page = await next;
      }
    } finally {
      this.#longLists--;
    }
  }

  /**
   * @throws {PlantNotFoundError} where the owner has no plant with this id
   * @throws {OutcomeUnknownError} where the connection was lost: the plant is deleted, or it is not
   */
  async delete(owner: Owner, id: bigint): Promise<void> {
    const deleted = await this.#deletes.submit({ owner, id });
    if (!deleted) throw new PlantNotFoundError('There is no plant with this id.');
  }
}

interface Page {
  readonly plants: Plant[];
  /** The id that the next page begins with; undefined where there is none. */
  readonly next: bigint | undefined;
}

interface PageRow {
  /** JSON arrays; names is null where there are no plants. */
  readonly names: string | null;
  readonly tags: string;
  readonly last: bigint;
  readonly length: number;
}

/**
 * Up to `size` plants from the id `least` on. PostgreSQL sends a page as one row with an array for each
 * column, which JSON.parse reads faster than node-postgres reads a row for each plant. A million plants on
 * two cores, one page read ahead, best of four: rows 1.1 s, these arrays 0.75 s, objects made in PostgreSQL
 * 0.95 s, psql's COPY 0.35 s.
 */
async function readPage(database: Database, owner: Owner, least: bigint, size: number): Promise<Page> {
  const { rows } = await database.query<{ names: string | null; tags: string; last: bigint; length: number }>(
    {
      text: `SELECT json_agg(name)::text AS names, json_agg(tag)::text AS tags, max(id) AS last, count(*)::int AS length
           FROM (SELECT id, name, tag FROM plants WHERE owner = $1 AND id >= $2 ORDER BY id LIMIT $3) AS page`,
      values: [owner, least, size],
    },
  );
  // An aggregate without GROUP BY is always one row.
  const [row] = rows as [PageRow];
  if (row.names === null) return { plants: [], next: undefined };
  const names: string[] = JSON.parse(row.names);
  const tags: (string | null)[] = JSON.parse(row.tags);
  const plants = names.map((name, index) => toPlant({ name, tag: tags[index] ?? null }));
  const isLast = row.length < size || row.last === greatestId;
  return { plants, next: isLast ? undefined : row.last + 1n };
}

/** Stores those whose keys are free. Returns for each plant what is stored under its key afterwards. */
async function insertPlants(database: Database, plants: readonly OwnedPlant[]): Promise<OwnedPlant[]> {
  const stored = firstOfEachKey(plants);
  const { rows } = await database.query<Key>(insert([...stored.values()], 'DO NOTHING RETURNING owner, id'));
  if (rows.length < stored.size) {
    const inserted = new Set(rows.map(keyOf));
    const taken = [...stored].filter(([key]) => !inserted.has(key)).map(([, plant]) => plant);
    // An update that changes nothing gives back the row that is there. Where that has gone meanwhile, it is
    // an insert; a SELECT would find nothing, and this would have to begin again.
    const existing = await database.query<OwnedPlant>(
      insert(taken, '(owner, id) DO UPDATE SET name = plants.name RETURNING owner, id, name, tag'),
    );
    for (const row of existing.rows) stored.set(keyOf(row), row);
  }
  // Each plant has its key in the map.
  return plants.map((plant) => stored.get(keyOf(plant)) as OwnedPlant);
}

/** All statements take keys in this order, so that two of them can wait for each other in one direction only. */
const keyOrder = 'ORDER BY owner COLLATE "C", id';

function insert(plants: readonly OwnedPlant[], onConflict: string): Statement {
  return {
    text: `INSERT INTO plants (owner, id, name, tag)
           SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS plant (owner, id, name, tag)
           ${keyOrder} ON CONFLICT ${onConflict}`,
    values: [
      plants.map(({ owner }) => owner),
      plants.map(({ id }) => id),
      plants.map(({ name }) => name),
      plants.map(({ tag }) => tag),
    ],
  };
}

/** Returns for each key whether there was a plant to delete; of equal keys, the first gets it. */
async function deletePlants(database: Database, keys: readonly Key[]): Promise<boolean[]> {
  const unique = [...firstOfEachKey(keys).values()];
  const { rows } = await database.query<Key>({
    text: `WITH found AS (
             SELECT owner, id FROM plants JOIN unnest($1::text[], $2::bigint[]) AS key (owner, id) USING (owner, id)
             ${keyOrder} FOR UPDATE OF plants
           )
           DELETE FROM plants USING found WHERE plants.owner = found.owner AND plants.id = found.id
           RETURNING plants.owner, plants.id`,
    values: [unique.map(({ owner }) => owner), unique.map(({ id }) => id)],
  });
  const deleted = new Set(rows.map(keyOf));
  return keys.map((key) => deleted.delete(keyOf(key)));
}

function firstOfEachKey<Item extends Key>(items: readonly Item[]): Map<string, Item> {
  const first = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!first.has(key)) first.set(key, item);
  }
  return first;
}

function keyOf({ owner, id }: Key): string {
  return `${id} ${owner}`;
}

function toPlant({ name, tag }: Pick<OwnedPlant, 'name' | 'tag'>): Plant {
  return tag === null ? { name } : { name, tag };
}
