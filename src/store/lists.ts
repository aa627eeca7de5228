/**
 * The lists of a table, as its store gives them: which page a list begins with, and how it goes on.
 *
 * Lists that are filtered by the same members share statements, so each combination of filters has a queue of
 * its own, which is made when it is first asked for. The table names its filters, so there are few.
 */
import { Coalescer } from '../batching/coalescer.js';
import type { Owner } from '../fairness/owner.js';
import type { Database } from '../postgres/database.js';
import { type Column, type Members, toParameter } from './columns/columns.js';
import type { List, Page } from './statements/list.js';
import type { Statements } from './statements/statements.js';
import type { StoredTable } from './table.js';

/** Which items a list has, of those that fit its filters. */
export interface Range {
  /** How many items are listed at most. If left out, all are. */
  readonly limit?: number | undefined;
  /** The list begins with the next key after this one. */
  readonly after?: bigint | undefined;
}

/** The range of int64. */
const ids = { least: -(2n ** 63n), greatest: 2n ** 63n - 1n };

/** What reads the lists that have the same filters. */
interface Reader {
  readonly pages: ReturnType<Statements['pages']>;
  readonly firstPages: Coalescer<List, Page>;
}

export class Lists {
  readonly #filters: readonly Column[];
  readonly #openReader: (filters: readonly Column[]) => Reader;
  /** The readers that were opened, by the names of their filters. */
  readonly #readers = new Map<string, Reader>();

  /** @param columns those of the table */
  constructor(
    { timeoutMs, batches }: Pick<Database, 'timeoutMs' | 'batches'>,
    { table, filters = [] }: StoredTable,
    columns: readonly Column[],
    pagesOf: Statements['pages'],
  ) {
    this.#filters = columns.filter(({ name }) => filters.includes(name));
    this.#openReader = (filters) => {
      const pages = pagesOf(filters);
      const by = filters.map(({ name }) => ` by ${name}`).join('');
      const firstPages = new Coalescer({
        name: `list ${table}${by}`,
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
    const { limit = Number.POSITIVE_INFINITY, after } = query;
    if (after === ids.greatest) return [];
    const filters = this.#filters.filter(({ name }) => query[name] !== undefined);
    const values = filters.map((column) => toParameter(column, query));
    const list = { owner, limit, from: after === undefined ? ids.least : after + 1n, values };
    const { pages, firstPages } = this.#readerOf(filters);
    pages.refuseMore(list);
    const first = await firstPages.submit(list, owner, arrivedAt);
    // A full first page may not be the last. If an item contains a delimiter, `readAll` reads the page again.
    const isLong = first.length === first.size && first.length < limit;
    return (isLong ? undefined : first.read()) ?? pages.readAll(list, first);
  }

  #readerOf(filters: readonly Column[]): Reader {
    const key = filters.map(({ name }) => name).join();
    const reader = this.#readers.get(key) ?? this.#openReader(filters);
    this.#readers.set(key, reader);
    return reader;
  }
}
