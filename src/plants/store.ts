import type { Owner } from '../access/owner.js';
import { Coalescer } from '../batching/coalescer.js';
import { settle } from '../batching/settle.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../database-errors.js';
import type { Database } from '../postgres/database.js';
import { type Column, haveSameMembers, type Members, toParameter } from '../storage/columns.js';
import type { Key } from '../storage/keys.js';
import { LongLists } from '../storage/long-lists.js';
import { type PlantRow, plantCreation } from './create.js';
import { deletePlants } from './delete.js';
import { plantLookup } from './find.js';
import { firstPagesAtOnce, type List, type Page, plantPages } from './list.js';
import type { NewPlant, Plant } from './table.js';

const maxTries = 10;

export class PlantStore {
  readonly #columns: readonly Column[];
  readonly #creates: Coalescer<PlantRow, boolean>;
  readonly #lookups: Coalescer<Key, Members | undefined>;
  readonly #deletes: Coalescer<Key, boolean>;
  readonly #firstPages: Coalescer<List, Page>;
  readonly #pages: ReturnType<typeof plantPages>;
  readonly #longLists = new LongLists();

  /** @param columns those of plantsTable */
  constructor(database: Database, columns: readonly Column[]) {
    const content = columns.filter(({ name }) => name !== 'id');
    this.#columns = content;
    this.#pages = plantPages(database, content);
    this.#creates = new Coalescer({
      name: 'create',
      run: plantCreation(database, content),
      sizeOf: ({ owner, parameters }) => parameters.reduce<number>(addLength, owner.length),
    });
    this.#lookups = new Coalescer({
      name: 'find',
      run: plantLookup(database, content),
      // Rows may be as large as request bodies.
      maxBatchSize: 100,
      sizeOf: ({ owner }) => owner.length,
    });
    this.#deletes = new Coalescer({
      name: 'delete',
      run: (keys) => deletePlants(database, keys),
      sizeOf: ({ owner }) => owner.length,
    });
    this.#firstPages = new Coalescer({
      name: 'list',
      run: (lists) => this.#pages.readFirst(lists),
      maxBatchSize: firstPagesAtOnce,
      sizeOf: ({ owner }) => owner.length,
    });
  }

  /**
   * A repeated create changes nothing.
   *
   * @returns undefined if the id has other content
   */
  async create(owner: Owner, { id, ...plant }: NewPlant): Promise<Plant | undefined> {
    const parameters = this.#columns.map((column) => toParameter(column, plant));
    const isSame = (stored: Plant) => haveSameMembers(this.#columns, stored, plant);
    for (let tries = 0; tries < maxTries; tries++) {
      try {
        if (await this.#creates.submit({ owner, id, parameters }, owner)) return plant;
      } catch (error) {
        if (!(error instanceof OutcomeUnknownError)) throw error;
        // Not run again: another request may have seen the plant, and deleted it.
        const stored = await settle(() => this.find(owner, id), error);
        if (stored !== undefined && isSame(stored)) return stored;
        throw error;
      }
      const stored = await this.find(owner, id);
      // Deleted meanwhile.
      if (stored === undefined) continue;
      return isSame(stored) ? stored : undefined;
    }
    throw new DatabaseUnavailableError(`the plant was deleted ${maxTries} times while it was created`);
  }

  async find(owner: Owner, id: bigint): Promise<Plant | undefined> {
    // table.ts and checkTables guarantee the columns.
    return (await this.#lookups.submit({ owner, id }, owner)) as Plant | undefined;
  }

  /**
   * By ascending id. A long list comes in pages.
   *
   * @throws {DatabaseUnavailableError} before the first page, if too many long lists are read
   */
  async list(owner: Owner, limit = Number.POSITIVE_INFINITY): Promise<Plant[] | AsyncIterable<Plant[]>> {
    const list = { owner, limit };
    const first = await this.#firstPages.submit(list, owner);
    // A full first page may not be the last. If a plant contains a sign, `#readAll` reads the page again.
    const isLong = first.length === first.size && first.length < limit;
    return (isLong ? undefined : this.#pages.plantsOf(first)) ?? this.#readAll(list, first);
  }

  async *#readAll(list: List, first: Page): AsyncGenerator<Plant[]> {
    const leave = this.#longLists.enter(list.owner);
    try {
      yield* this.#pages.readAll(list, first, () => this.#longLists.count);
    } finally {
      leave();
    }
  }

  /**
   * @returns whether there was a plant
   * @throws {OutcomeUnknownError} if the plant may be gone
   */
  delete(owner: Owner, id: bigint): Promise<boolean> {
    return this.#deletes.submit({ owner, id }, owner);
  }
}

function addLength(sum: number, parameter: unknown): number {
  return sum + (typeof parameter === 'string' ? parameter.length : 8);
}
