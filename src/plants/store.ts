import type { Owner } from '../access/bearer.js';
import { Coalescer } from '../postgres/coalescer.js';
import { type Database, DatabaseUnavailableError } from '../postgres/database.js';
import { eitherWay } from '../postgres/either-way.js';
import { isNotSupported, isNullRefused, isRefusal } from '../postgres/sqlstate.js';
import { LongLists } from './long-lists.js';
import {
  type ClearPage,
  firstPages,
  type List,
  readEachFirstPage,
  readFirstPages,
  readPages,
} from './pages.js';
import { type NewPlant, type Plant, toPlant } from './plant.js';
import {
  deleteFoundPlants,
  deleteFoundPlantsUnordered,
  deletePlant,
  deletePlants,
  findPlant,
  insertFreePlants,
  insertOrRead,
  insertPlants,
  type Key,
  loneOf,
  type OwnedPlant,
} from './statements.js';

/** The owner has a plant with this id already, and it is another. */
export class PlantConflictError extends Error {
  override readonly name = 'PlantConflictError';
}

/** The owner has no plant with this id. */
export class PlantNotFoundError extends Error {
  override readonly name = 'PlantNotFoundError';
}

/**
 * Whoever sends a plant or its delete again sends others again, and each statement that fails for it is for nothing, and
 * a line in PostgreSQL's log: in place of so many, others are made that do not fail.
 */
const waryStatements = 100;
const forGood = Number.POSITIVE_INFINITY;
const forGoodIfNotSupported = (error: unknown) => (isNotSupported(error) ? forGood : 0);

/**
 * The plants of all owners, each of whom sees its own. Simultaneous creates share a
 * statement, and so do deletes, and first pages of lists.
 */
export class PlantStore {
  readonly #database: Database;
  readonly #creates: Coalescer<OwnedPlant, boolean>;
  readonly #repeats: Coalescer<OwnedPlant, OwnedPlant>;
  readonly #deletes: Coalescer<Key, boolean>;
  readonly #lists: Coalescer<List, ClearPage>;
  readonly #longLists = new LongLists();

  constructor(database: Database) {
    this.#database = database;
    const sizeOf = ({ owner, name, tag }: OwnedPlant) => owner.length + name.length + (tag?.length ?? 0);
    this.#creates = new Coalescer({
      run: eitherWay({
        first: (plants) => insertPlants(database, plants),
        second: (plants) => insertFreePlants(database, plants),
        // A taken key is 23505, and on Citus, where another node says it, XX000 (its ReportCopyError).
        detourAfter: (error) => (error instanceof DatabaseUnavailableError ? 0 : waryStatements),
      }),
      sizeOf,
      repeatable: true,
    });
    this.#repeats = new Coalescer({
      run: (plants) => insertOrRead(database, plants),
      sizeOf,
      repeatable: true,
    });
    const deleteMany = eitherWay<readonly Key[], boolean[]>({
      first: (keys) => deletePlants(database, keys),
      second: eitherWay({
        first: (keys) => deleteFoundPlants(database, keys),
        second: (keys) => deleteFoundPlantsUnordered(database, keys),
        detourAfter: forGoodIfNotSupported,
      }),
      detourAfter(error) {
        if (!isRefusal(error)) return 0;
        // Citus does not do it at all, and says so with XX000 (13.2's merge_planner.c).
        return isNullRefused(error) ? waryStatements : forGood;
      },
    });
    this.#deletes = new Coalescer({
      run: async (keys) => {
        const lone = loneOf(keys);
        return lone === undefined ? deleteMany(keys) : [await deletePlant(database, lone)];
      },
      sizeOf: ({ owner }) => owner.length,
      repeatable: false,
    });
    this.#lists = new Coalescer({
      run: eitherWay({
        first: (lists) => readFirstPages(database, lists),
        second: (lists) => readEachFirstPage(database, lists),
        detourAfter: forGoodIfNotSupported,
      }),
      batch: firstPages,
      sizeOf: ({ owner }) => owner.length,
      repeatable: true,
    });
  }

  /**
   * Stores a plant; it is committed when this returns. Storing the same plant again changes nothing.
   *
   * @throws {PlantConflictError} where the owner has another plant with this id
   */
  async create(owner: Owner, plant: NewPlant): Promise<Plant> {
    const { id, name } = plant;
    const tag = plant.tag ?? null;
    const wanted = { owner, id, name, tag };
    const stored = (await this.#creates.submit(wanted)) ? wanted : await this.#repeats.submit(wanted);
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
    const plant = await findPlant(this.#database, { owner, id });
    if (plant === undefined) throw new PlantNotFoundError('There is no plant with this id.');
    return toPlant(plant);
  }

  /**
   * The owner's plants by ascending id, all of them or the first `limit`: a short list whole, a long one in
   * pages. No connection is held between two pages, so that a slow reader holds none.
   *
   * @throws {DatabaseUnavailableError} a long one, before its first page, where too many are being read
   */
  async list(owner: Owner, limit = Number.POSITIVE_INFINITY): Promise<Plant[] | AsyncIterable<Plant[]>> {
    const first = await this.#lists.submit({ owner, limit });
    if (!first.full || first.length === limit) return first.plants();
    return this.#readOn({ owner, limit }, first);
  }

  async *#readOn(list: List, first: ClearPage): AsyncGenerator<Plant[]> {
    const leave = this.#longLists.enter(list.owner);
    try {
      yield* readPages(this.#database, list, first, () => this.#longLists.count);
    } finally {
      leave();
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
