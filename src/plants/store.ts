import type { Owner } from '../access/bearer.js';
import { type Database, DatabaseUnavailableError } from '../postgres/database.js';

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

interface PlantContent {
  readonly name: string;
  readonly tag: string | null;
}

interface PlantRow extends PlantContent {
  readonly id: bigint;
}

/** The range of PostgreSQL's bigint. */
const [leastId, greatestId] = [-(2n ** 63n), 2n ** 63n - 1n];
/** How often a plant may be there and gone again between two statements before a create gives up. */
const createAttempts = 10;
/** The first page of a list is small, so that its first bytes come at once; the others are large, to be quick. */
const pageSizes = { first: 100, other: 2_000 };

/** The plants of all owners, each of whom sees its own. */
export class PlantStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Stores a plant; it is committed when this returns. Storing the same plant again changes nothing.
   *
   * @throws {PlantConflictError} where the owner has another plant with this id
   */
  async create(owner: Owner, { id, name, tag }: NewPlant): Promise<Plant> {
    for (let attempt = 0; attempt < createAttempts; attempt++) {
      const { rowCount } = await this.#database.query({
        name: 'create-plant',
        text: 'INSERT INTO plants (owner, id, name, tag) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        values: [owner, id, name, tag ?? null],
      });
      // A statement of its own, because only it sees what a simultaneous create has just committed.
      const stored = rowCount === 1 ? { name, tag: tag ?? null } : await this.#find(owner, id);
      if (stored === undefined) continue;
      if (stored.name !== name || stored.tag !== (tag ?? null)) {
        throw new PlantConflictError('A plant with this id and other content exists already.');
      }
      return toPlant(stored);
    }
    throw new DatabaseUnavailableError('A plant came and went all the time while it was being created.');
  }

  /** The owner's plants by ascending id, in pages: all of them, or the first `limit`. No connection is held between two pages. */
  async *list(owner: Owner, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Plant[]> {
    let least = leastId;
    let remaining = limit;
    let size = pageSizes.first;
    while (remaining > 0) {
      const { rows } = await this.#database.query<PlantRow>({
        name: 'list-plants',
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

  /** @throws {PlantNotFoundError} where the owner has no plant with this id */
  async delete(owner: Owner, id: bigint): Promise<void> {
    const { rowCount } = await this.#database.query({
      name: 'delete-plant',
      text: 'DELETE FROM plants WHERE owner = $1 AND id = $2',
      values: [owner, id],
    });
    if (rowCount === 0) throw new PlantNotFoundError('There is no plant with this id.');
  }

  async #find(owner: Owner, id: bigint): Promise<PlantContent | undefined> {
    const { rows } = await this.#database.query<PlantContent>({
      name: 'find-plant',
      text: 'SELECT name, tag FROM plants WHERE owner = $1 AND id = $2',
      values: [owner, id],
    });
    return rows[0];
  }
}

function toPlant({ name, tag }: PlantContent): Plant {
  return tag === null ? { name } : { name, tag };
}
