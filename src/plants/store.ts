import type { Owner } from '../access/bearer.js';
import { Coalescer } from '../postgres/coalescer.js';
import type { Database, Statement } from '../postgres/database.js';

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

interface PlantRow {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
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

/** The plants of all owners, each of whom sees its own. Simultaneous creates share a statement, and so do deletes. */
export class PlantStore {
  readonly #database: Database;
  readonly #creates: Coalescer<OwnedPlant, OwnedPlant>;
  readonly #deletes: Coalescer<Key, boolean>;

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

  /** The owner's plants by ascending id, in pages: all of them, or the first `limit`. No connection is held between two pages. */
  async *list(owner: Owner, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Plant[]> {
    let least = leastId;
    let remaining = limit;
    let size = pageSizes.first;
    while (remaining > 0) {
      const { rows } = await this.#database.query<PlantRow>({
        text: 'SELECT id, name, tag FROM plants WHERE owner = $1 AND id >= $2 ORDER BY id LIMIT $3',
        values: [owner, least, Math.min(size, remaining)],
      });
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(toPlant);
      if (rows.length < Math.min(size, remaining) || last.id === greatestId) return;
      least = last.id + 1n;
      remaining -= rows.length;
      size = pageSizes.other;
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
  return plants.map((plant) => stored.get(keyOf(plant)) ?? plant);
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

function toPlant({ name, tag }: Pick<PlantRow, 'name' | 'tag'>): Plant {
  return tag === null ? { name } : { name, tag };
}
