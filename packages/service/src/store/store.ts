/**
 * What handlers can do with the items of a table, and what they can rely on.
 *
 * A handler should not have to know that requests share statements, that a reply can be lost, or that a
 * commit can remain unknown. So a create goes this way:
 *
 * 1. The item becomes a `Row`, and waits for a batch with the creates of other requests (packages/service/src/batching/).
 * 2. If the statement stored it, the create is done.
 * 3. If the key is taken, the stored item is looked up, and compared member by member. The same content
 *    counts as an earlier try of the same create, so this one succeeds. Other content is a 'conflict'.
 * 4. If the item is gone when it is looked up, somebody has deleted it meanwhile. The create tries again, up
 *    to ten times.
 * 5. If the connection broke, nobody knows whether the item is stored, and the caller is told so. The create
 *    does not run again, because another request may have seen the item, and deleted it.
 * 6. If the item violates a constraint, the caller gets the word that the table has for it.
 *
 * For example, a client sends `{"id": 7, "name": "Fern"}`, and its connection breaks. It sends the same
 * again. The key 7 is taken, the stored name is "Fern", and the answer is the same 200 that was lost.
 *
 * An update or a delete goes the same way, without steps 3 and 4.
 *
 * The cost: a create whose key is taken takes a second statement.
 */
import { Coalescer } from '../batching/coalescer.js';
import { ServiceUnavailableError } from '../errors/unavailable.js';
import type { LongLists } from '../fairness/long-lists.js';
import type { Owner } from '../identity/owner.js';
import type { Database } from '../postgres/database.js';
import {
  asStored,
  type Column,
  haveSameMembers,
  type Id,
  type Members,
  toParameter,
} from './columns/columns.js';
import { Lists, type Range } from './lists.js';
import { namedFailure } from './named-failure.js';
import type { Key, Row } from './statements/keys.js';
import { statements } from './statements/statements.js';
import { type AfterOf, namesOf, type Table, type TableTypes } from './table.js';

/** What a list can be asked for: a range, a value for each filter of the table, and an order. */
export type ListQuery<Types extends TableTypes> = Range<Types['key']> & Types['filter'] & Types['sorting'];

/**
 * Fits no query with more than a list can be asked for, and none that sorts a list whose next page nobody
 * could ask for. TypeScript shows the sentence.
 */
type OnlyOf<Query, Known> = {
  readonly [Name in Exclude<keyof Query, keyof Known> &
    string]: `The store does not know "${Name}", so the parameter would do nothing: name the member in "filters" or "sorts" of the table.`;
} & ('after' extends keyof Query
  ? {
      readonly [Name in Exclude<ContinuedBy<Query, Known>, keyof Query> &
        string]: `No page could follow in a sorted list: add the parameter "${Name}", or take "after" out of the contract.`;
    }
  : unknown);

/** The parameters that continue a list in an order that a query can ask for. */
type ContinuedBy<Query, Known> = Query extends { readonly sort?: infer Sort }
  ? AfterOf<Sort extends `-${infer Name}` ? Name : Sort & string> & keyof Known
  : never;

/**
 * The items of a table, for handlers. An owner sees and changes only its own.
 *
 * A change that was not made says why, by a word. It may be a failure, which the table names: the item
 * violates a constraint. If the table has no name for it, the change throws an UnknownConstraintError.
 *
 * `arrivedAt` is when the request arrived, in milliseconds of performance.now(). All statements of a request
 * share its 8 s, so that it is answered within 10 s.
 *
 * Every method throws a RefusedStatementError if PostgreSQL refuses the statement whatever its values are,
 * for example because the table was changed under the running service.
 */
export interface Store<Types extends TableTypes> {
  /**
   * Stores an item. A repeated create changes nothing, unless the server makes the keys: then each create
   * stores an item of its own.
   *
   * @returns the item as it is stored; 'conflict' if the owner has an item with the same key and other
   * content
   * @throws {OutcomeUnknownError} if the item may be stored
   * @throws {ServiceUnavailableError} if this call has not stored it: the database is away, or a limit is
   * reached
   */
  create(
    owner: Owner,
    content: Types['created'],
    arrivedAt: number,
  ): Promise<Types['body'] | Types['conflict'] | Types['failure']>;

  /**
   * @param id the key
   * @returns undefined if there is no such item
   * @throws {ServiceUnavailableError} if the database is away, or a limit is reached
   */
  find(owner: Owner, id: Types['key'], arrivedAt: number): Promise<Types['body'] | undefined>;

  /**
   * Lists items by ascending key, or sorted by a member. The parameters of a request can be passed as they
   * are: one that the store does not know is a compile error.
   *
   * @param query an item fits a filter if its member has this value; without a value, every item does
   * @returns all items, if they fit on the first page; otherwise pages, which are read while they are
   * iterated
   * @throws {ListPositionError} if the query does not say where a sorted list begins
   * @throws {OverloadError} if the owner has no slot for another long list: this call, or the first step of
   * the iteration
   * @throws {ServiceUnavailableError} if the database is away, or a limit is reached: this call, or any step
   * of the iteration
   */
  list<const Query extends ListQuery<Types>>(
    owner: Owner,
    query: Query & NoInfer<OnlyOf<Query, ListQuery<Types>>>,
    arrivedAt: number,
  ): Promise<Types['body'][] | AsyncIterable<Types['body'][]>>;

  /**
   * Replaces the members of the item that has the same key.
   *
   * @returns the item as it is stored; 'absent' if there is no item with this key
   * @throws {OutcomeUnknownError} if the item may be replaced
   * @throws {ServiceUnavailableError} if it is not replaced: the database is away, or a limit is reached
   */
  update(
    owner: Owner,
    item: Types['item'],
    arrivedAt: number,
  ): Promise<Types['body'] | 'absent' | Types['failure']>;

  /**
   * @param id the key
   * @throws {OutcomeUnknownError} if the item may be gone
   * @throws {ServiceUnavailableError} if it is not deleted: the database is away, or a limit is reached
   */
  delete(
    owner: Owner,
    id: Types['key'],
    arrivedAt: number,
  ): Promise<'deleted' | 'absent' | Types['deleteFailure']>;
}

/** How often a create tries to store an item that is deleted again before it can be looked up. */
const maxTries = 10;
/** The store of an ordinary table, or of one shard of a distributed table. */
export class TableStore<Types extends TableTypes> implements Store<Types> {
  readonly #table: Table<Types>;
  readonly #uuids: readonly Column[];
  readonly #members: readonly Column[];
  readonly #isKeyUuid: boolean;
  readonly #creates: Coalescer<Row, boolean>;
  readonly #lookups: Coalescer<Key, Members | undefined>;
  readonly #updates: Coalescer<Row, boolean>;
  readonly #deletes: Coalescer<Row, boolean>;
  readonly #lists: Lists;

  /**
   * @param columns those of the table
   * @param longLists the slots for long lists, which all tables share
   */
  constructor(
    database: Database,
    table: Table<Types>,
    columns: readonly Column[],
    longLists: LongLists,
    makeStatements = statements,
  ) {
    const names = namesOf(table, columns);
    this.#table = table;
    this.#uuids = columns.filter(({ type }) => type === 'uuid');
    this.#members = names.members;
    this.#isKeyUuid = names.keyType === 'uuid';
    const { create, find, update, delete: remove, pages } = makeStatements(database, names, longLists);
    const { timeoutMs, batches } = database;
    const common = { timeoutMs, batches };
    this.#creates = new Coalescer({ name: `create ${names.name}`, ...create, ...common });
    this.#lookups = new Coalescer({ name: `find ${names.name}`, run: find, ...common });
    this.#updates = new Coalescer({ name: `update ${names.name}`, ...update, ...common });
    this.#deletes = new Coalescer({ name: `delete ${names.name}`, ...remove, ...common });
    this.#lists = new Lists(database, table, columns, pages);
  }

  async create(
    owner: Owner,
    content: Types['created'],
    arrivedAt = performance.now(),
  ): Promise<Types['body'] | Types['conflict'] | Types['failure']> {
    for (let tries = 0; tries < maxTries; tries++) {
      const item = asStored(this.#uuids, this.#table.itemOf(content));
      const row = this.#rowOf(owner, item);
      try {
        if (await this.#creates.submit(row, owner, arrivedAt)) return this.#table.bodyOf(item);
      } catch (error) {
        return namedFailure(this.#table.failures, error);
      }
      // A key that the server has made is hardly ever taken. If it is, the next try makes another one.
      if (this.#table.keyFrom === 'server') continue;
      const stored = await this.find(owner, row.id, arrivedAt);
      // Somebody has deleted the item meanwhile, so its key is free.
      if (stored === undefined) continue;
      // `conflict` is never only if the server makes the keys.
      return this.#isSame(stored, item) ? stored : ('conflict' as Types['conflict']);
    }
    throw new ServiceUnavailableError(
      `Refused: the item was deleted ${maxTries} times while it was created.`,
    );
  }

  async find(owner: Owner, id: Types['key'], arrivedAt?: number): Promise<Types['body'] | undefined> {
    const found = await this.#lookups.submit({ owner, id: this.#storedKey(id) }, owner, arrivedAt);
    // `tableOf` and `checkTables` guarantee the columns, and `namesOf` leaves out a key that is not answered.
    return found as Types['body'] | undefined;
  }

  list(
    owner: Owner,
    query: ListQuery<Types> = {},
    arrivedAt?: number,
  ): Promise<Types['body'][] | AsyncIterable<Types['body'][]>> {
    // The columns of these pages are those of `find`.
    return this.#lists.read(owner, query, arrivedAt) as Promise<
      Types['body'][] | AsyncIterable<Types['body'][]>
    >;
  }

  async update(
    owner: Owner,
    replacement: Types['item'],
    arrivedAt?: number,
  ): Promise<Types['body'] | 'absent' | Types['failure']> {
    const item = asStored(this.#uuids, replacement);
    try {
      const isThere = await this.#updates.submit(this.#rowOf(owner, item), owner, arrivedAt);
      return isThere ? this.#table.bodyOf(item) : 'absent';
    } catch (error) {
      return namedFailure(this.#table.failures, error);
    }
  }

  async delete(
    owner: Owner,
    id: Types['key'],
    arrivedAt?: number,
  ): Promise<'deleted' | 'absent' | Types['deleteFailure']> {
    try {
      const row = { owner, id: this.#storedKey(id), members: [] };
      const isDeleted = await this.#deletes.submit(row, owner, arrivedAt);
      return isDeleted ? 'deleted' : 'absent';
    } catch (error) {
      return namedFailure(this.#table.deleteFailures, error);
    }
  }

  #rowOf(owner: Owner, item: Types['item']): Row {
    const members = this.#members.map((column) => toParameter(column, item));
    return { owner, id: this.#storedKey(this.#table.idOf(item)), members };
  }

  #storedKey(id: Types['key']): Id {
    return typeof id === 'string' && this.#isKeyUuid ? id.toLowerCase() : id;
  }

  #isSame(stored: Members, item: Types['item']): boolean {
    return haveSameMembers(this.#members, stored, item);
  }
}
