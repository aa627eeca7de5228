import { Coalescer } from '../batching/coalescer.js';
import { settle } from '../batching/settle.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../errors/database.js';
import type { Owner } from '../fairness/owner.js';
import type { Database } from '../postgres/database.js';
import { type Column, haveSameMembers, type Members, sizeOf, toParameter } from '../storage/columns.js';
import type { Key } from '../storage/keys.js';
import type { PlantRow } from './create.js';
import { firstPagesAtOnce, type List, type Page } from './list.js';
import { type PlantStatements, plantStatements } from './statements.js';
import type { NewPlant, Plant } from './table.js';

const maxTries = 10;

/** What handlers use. */
export type Plants = Pick<PlantStore, keyof PlantStore>;

export class PlantStore {
  readonly #columns: readonly Column[];
  readonly #creates: Coalescer<PlantRow, boolean>;
  readonly #lookups: Coalescer<Key, Members | undefined>;
  readonly #deletes: Coalescer<Key, boolean>;
  readonly #firstPages: Coalescer<List, Page>;
  readonly #pages: PlantStatements['pages'];

  /** @param columns those of plantsTable */
  constructor(database: Database, columns: readonly Column[], statementsOf = plantStatements) {
    this.#columns = columns.filter(({ name }) => name !== 'id');
    const statements = statementsOf(database, this.#columns);
    this.#pages = statements.pages;
    const { timeoutMs } = database;
    this.#creates = new Coalescer({
      name: 'create',
      run: statements.create,
      timeoutMs,
      sizeOf: ({ owner, parameters }) => sizeOf(owner, ...parameters),
    });
    this.#lookups = new Coalescer({
      name: 'find',
      run: statements.find,
      timeoutMs,
      // Rows may be as large as request bodies.
      maxBatchSize: 100,
      sizeOf: ({ owner }) => owner.length,
    });
    this.#deletes = new Coalescer({
      name: 'delete',
      run: statements.delete,
      timeoutMs,
      runPatiently: statements.deletePatiently,
      sizeOf: ({ owner }) => owner.length,
    });
    this.#firstPages = new Coalescer({
      name: 'list',
      run: statements.pages.readFirst,
      timeoutMs,
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
    this.#pages.refuseMore(list);
    const first = await this.#firstPages.submit(list, owner);
    // A full first page may not be the last. If a plant contains a sign, `readAll` reads the page again.
    const isLong = first.length === first.size && first.length < limit;
    return (isLong ? undefined : this.#pages.plantsOf(first)) ?? this.#pages.readAll(list, first);
  }

  /**
   * @returns whether there was a plant
   * @throws {OutcomeUnknownError} if the plant may be gone
   */
  delete(owner: Owner, id: bigint): Promise<boolean> {
    return this.#deletes.submit({ owner, id }, owner);
  }
}
