/**
 * The lists of a table, as its store gives them: in which order, which page a list begins with, and how it
 * goes on.
 *
 * Lists of the same kind share statements, so each kind has a queue of its own, which is made when it is first
 * asked for. The table names its filters and its orders, so there are few.
 */
import { Coalescer } from '../batching/coalescer.js';
import { ListPositionError } from '../errors/list-position.js';
import type { Owner } from '../identity/owner.js';
import type { Database } from '../postgres/database.js';
import { type Column, type Id, type Members, toParameter } from './columns/columns.js';
import type { List, Page } from './statements/list.js';
import type { Order, Position } from './statements/order.js';
import { describe, type ListKind } from './statements/pages.js';
import type { Statements } from './statements/statements.js';
import { afterOf, type StoredTable } from './table.js';

/** Which items a list has, of those that fit its filters. */
export interface Range<Key extends Id = Id> {
  /** How many items are listed at most. If left out, all are. */
  readonly limit?: number | undefined;
  /**
   * The key of an item. The list begins after it. If the list is sorted by a member, it begins after the item
   * with this key and the value of `afterOf` that member.
   */
  readonly after?: Key | undefined;
}

/** What reads the lists of the same kind. */
interface Reader {
  readonly pages: ReturnType<Statements['pages']>;
  readonly firstPages: Coalescer<List, Page>;
}

export class Lists {
  readonly #filters: readonly Column[];
  readonly #orders: Orders;
  readonly #openReader: (kind: ListKind) => Reader;
  /** The readers that were opened, by the words for their kinds. */
  readonly #readers = new Map<string, Reader>();

  /** @param columns those of the table */
  constructor(
    { timeoutMs, batches }: Pick<Database, 'timeoutMs' | 'batches'>,
    stored: StoredTable,
    columns: readonly Column[],
    pagesOf: Statements['pages'],
  ) {
    const { table, filters = [] } = stored;
    this.#filters = columns.filter(({ name }) => filters.includes(name));
    this.#orders = new Orders(stored, columns);
    this.#openReader = (kind) => {
      const pages = pagesOf(kind);
      const firstPages = new Coalescer({
        name: `list ${table}${describe(kind)}`,
        run: pages.readFirst,
        maxBatchSize: pages.maxFirstPages,
        ...{ timeoutMs, batches },
      });
      return { pages, firstPages };
    };
  }

  /** Reads a list as `Store.list` promises. */
  async read(
    owner: Owner,
    query: Range & Members,
    arrivedAt?: number,
  ): Promise<Members[] | AsyncIterable<Members[]>> {
    const { limit = Number.POSITIVE_INFINITY } = query;
    const filters = this.#filters.filter(({ name }) => query[name] !== undefined);
    const values = filters.map((column) => toParameter(column, query));
    const order = this.#orders.orderOf(query['sort']);
    const after = this.#orders.positionOf(order, query);
    const { pages, firstPages } = this.#readerOf({ filters, order, isContinued: after !== undefined });
    const list = { owner, limit, after, values };
    pages.refuseMore(list);
    const first = await firstPages.submit(list, owner, arrivedAt);
    // A full first page may not be the last. If an item contains a delimiter, `readAll` reads the page again.
    const isLong = first.length === first.size && first.length < limit;
    return (isLong ? undefined : first.read()) ?? pages.readAll(list, first);
  }

  #readerOf(kind: ListKind): Reader {
    const words = describe(kind);
    const reader = this.#readers.get(words) ?? this.#openReader(kind);
    this.#readers.set(words, reader);
    return reader;
  }
}

/** The orders that a table offers, and the parameters that ask for them. */
class Orders {
  readonly #key: string;
  readonly #byKey: Order;
  /** The orders that clients can ask for, by the values of the parameter `sort`. */
  readonly #orders: ReadonlyMap<unknown, Order>;
  /** The members other than the key by which lists can be sorted. */
  readonly #members: readonly string[];

  constructor({ key, sorts = [] }: StoredTable, columns: readonly Column[]) {
    // The start has checked that there is a column for the key, and for each of `sorts`.
    const sortedBy = (name: string) => columns.filter((column) => column.name === name);
    this.#key = key;
    this.#byKey = { columns: sortedBy(key), isDescending: false };
    this.#members = sorts.filter((name) => name !== key);
    this.#orders = new Map(
      sorts.flatMap((name): [string, Order][] => {
        const sorted = name === key ? sortedBy(key) : [...sortedBy(name), ...sortedBy(key)];
        return [
          [name, { columns: sorted, isDescending: false }],
          [`-${name}`, { columns: sorted, isDescending: true }],
        ];
      }),
    );
  }

  /** @param sort the value of the parameter, which the contract has limited to those of the table */
  orderOf(sort: unknown): Order {
    return this.#orders.get(sort) ?? this.#byKey;
  }

  /**
   * @returns the position after which the list begins; undefined if it begins with the first item
   * @throws {ListPositionError} if a part of the position is missing, or belongs to another order
   */
  positionOf({ columns }: Order, query: Range & Members): Position | undefined {
    const sortedBy = columns.slice(0, -1).map(({ name }) => name);
    const isContinued = query.after !== undefined;
    for (const name of this.#members) {
      const parameter = afterOf(name);
      const isGiven = query[parameter] !== undefined;
      const isNeeded = isContinued && sortedBy.includes(name);
      if (isNeeded && !isGiven)
        throw new ListPositionError(
          `query/after needs query/${parameter}, too: the "${name}" of the same item, because the list is sorted by it.`,
        );
      if (isGiven && !isNeeded)
        throw new ListPositionError(
          `query/${parameter} is for a list that is sorted by "${name}", with the "${this.#key}" of the same item in query/after.`,
        );
    }
    return isContinued ? [...sortedBy.map((name) => query[afterOf(name)]), query.after] : undefined;
  }
}
