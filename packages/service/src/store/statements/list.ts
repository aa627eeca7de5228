/**
 * Reads lists in pages.
 *
 * A list may have millions of items. As one result, they would all be in memory at once. A cursor would hold
 * a connection for as long as the client reads. So each page begins after the last position of the one before
 * (keyset pagination, order.ts), and no connection is held between two statements. In order:
 *
 * 1. `readFirst` reads the first pages of up to 32 lists in one statement, each of up to 100 items. A list
 *    that is alone has a plainer statement. Most lists end there.
 * 2. If the first page is full, the list may be long. `readAll` takes one of the slots for long lists, and
 *    `readNext` reads four times as many items as the statement before it, in at most 8 pages, each of up to
 *    1,600 items or about 65,536 characters.
 * 3. While the service sends these pages, each in a tick of the event loop of its own, PostgreSQL reads the
 *    following ones.
 *
 * For example, a list of 10,000 plants takes five statements: a page of 100, one of 400, one of 1,600, four
 * of 1,600, and one of the last 1,500.
 *
 * The cost: the pages are not read at the same moment. An item that is created or deleted meanwhile may be in
 * the list or not.
 */
import type { LongLists } from '../../fairness/long-lists.js';
import type { Owner } from '../../identity/owner.js';
import { bind, type Database } from '../../postgres/database.js';
import { type Members, readMembers } from '../columns/columns.js';
import { charactersOf, type PageText, pageTextReader } from '../columns/page-text.js';
import type { TableNames } from '../table.js';
import type { Position } from './order.js';
import { type ListKind, pageStatements, sizes } from './pages.js';

export interface List {
  readonly owner: Owner;
  /** The list begins after this position; undefined for the first item. */
  readonly after: Position | undefined;
  /** How many items are listed at most; Infinity for all. */
  readonly limit: number;
  /** The values of the filters, in the order of their columns. */
  readonly values: readonly unknown[];
}

/** A page of items, in the order of their list. */
export interface Page {
  readonly length: number;
  /** How many items were asked for. A page that has fewer is the last. */
  readonly size: number;
  /** The position of the last item; undefined if there is none. */
  readonly last: Position | undefined;
  /** @returns about how many characters the items have together; 1 if none, because it is a divisor */
  readonly characters: () => number;
  /** @returns undefined if an item contains a delimiter, so that the page must be read again as rows */
  readonly read: () => Members[] | undefined;
}

/** A page as one text for each column. */
type TextPage = Pick<Page, 'length' | 'size'> & PageText & { readonly [last: `last_${number}`]: unknown };

/** A row whose columns are cast to text. */
type TextRow = readonly (string | null)[];

/** How many lists share a statement for their first pages. The largest 32 pages take a few megabytes. */
const maxFirstPages = 32;

/**
 * Makes the functions that read lists. All of them throw what `Database.query` throws.
 *
 * @param longLists those of all tables
 * @param kind what the lists have in common
 */
export function pagesOf(database: Database, names: TableNames, longLists: LongLists, kind: ListKind) {
  const { answered } = names;
  const { filters, order, isContinued } = kind;
  const itemsOfTexts = pageTextReader(answered);
  const itemsOfRows = (rows: readonly TextRow[]) => rows.map((row) => readMembers(answered, row));
  const { alone, together, upTo, between, next } = pageStatements(names, kind);

  const sizeOf = ({ limit }: List) => Math.min(sizes.first, limit);
  const pageOf = (page: TextPage): Page => ({
    length: page.length,
    size: page.size,
    last: page.length === 0 ? undefined : order.columns.map((_, at) => page[`last_${at}`]),
    characters: () => charactersOf(answered, page),
    read: () => itemsOfTexts(page),
  });

  /**
   * @param deadline milliseconds of performance.now()
   * @returns the first page of each list, in their order
   */
  async function readFirst(lists: readonly List[], deadline?: number): Promise<Page[]> {
    const [list, ...others] = lists;
    const isAlone = list !== undefined && others.length === 0;
    const values = isAlone
      ? [list.owner, sizeOf(list), ...(list.after ?? []), ...list.values]
      : valuesOf(lists);
    const { rows } = await database.query<TextPage>(bind(isAlone ? alone : together, values, deadline));
    return rows.map(pageOf);
  }

  function valuesOf(lists: readonly List[]): unknown[][] {
    return [
      lists.map(({ owner }) => owner),
      lists.map(sizeOf),
      ...(isContinued ? order.columns.map((_, at) => lists.map(({ after }) => after?.[at])) : []),
      ...filters.map((_, at) => lists.map(({ values }) => values[at])),
    ];
  }

  /**
   * @param items how many the pages may have together
   * @returns the pages after this one; none if it is the last
   */
  async function readNext(
    { owner, values: filtered }: Pick<List, 'owner' | 'values'>,
    before: Page,
    items: number,
  ): Promise<Page[]> {
    if (before.last === undefined || before.length < before.size || items <= 0) return [];
    const byCharacters = Math.ceil((sizes.characters * before.length) / before.characters());
    const wanted = Math.min(sizes.max, items, byCharacters);
    // All long lists share the eight pages, so that memory stays flat.
    const pages = Math.min(Math.ceil(sizes.pages / longLists.count), Math.floor(items / wanted));
    const values = [owner, wanted, pages, ...before.last, ...filtered];
    // This statement is not prepared, because its planning is quick.
    const { rows } = await database.query<TextPage & { ordinal: number }>({
      text: next,
      values,
      reads: true,
      deadline: performance.now() + database.timeoutMs,
    });
    // PostgreSQL promises no order without ORDER BY, and with it would hold all pages before it sends one.
    return rows.sort((one, other) => one.ordinal - other.ordinal).map(pageOf);
  }

  /** Reads a page again that has a delimiter in an item. */
  async function readRows(
    { owner, values }: Pick<List, 'owner' | 'values'>,
    after: Position | undefined,
    last: Position,
  ): Promise<Members[]> {
    const deadline = performance.now() + database.timeoutMs;
    const again = after === undefined ? upTo : between;
    const { rows } = await database.query<TextRow>(
      bind(again, [owner, ...last, ...(after ?? []), ...values], deadline),
    );
    return itemsOfRows(rows);
  }

  /** @throws {OverloadError} if the list may be long, and its owner reads too many already */
  function refuseMore({ owner, limit }: List): void {
    if (limit > sizes.first) longLists.refuseMore(owner);
  }

  /**
   * Reads a list from its first page on, while it is iterated.
   *
   * @param head the first page, which `readFirst` has read
   * @throws {OverloadError} at the first step, if there is no slot for another long list
   */
  async function* readAll(list: List, head: Page): AsyncGenerator<Members[]> {
    const leave = longLists.enter(list.owner);
    try {
      yield* readOn(list, head);
    } finally {
      leave();
    }
  }

  async function* readOn(list: List, head: Page): AsyncGenerator<Members[]> {
    let { after, limit: left } = list;
    let pages = [head];
    for (let last = pages.at(-1); last !== undefined; last = pages.at(-1)) {
      const count = pages.reduce((sum, { length }) => sum + length, 0);
      // PostgreSQL reads the following pages while the service sends these.
      const following = readNext(list, last, Math.min(sizes.growth * count, left - count));
      // If the reader stops early, nobody awaits these pages, and a failure must not end the process.
      following.catch(() => {});
      // shift() frees each page.
      for (let page = pages.shift(); page !== undefined; page = pages.shift()) {
        await longLists.ownTick();
        const items = page.read() ?? (await readRows(list, after, page.last ?? []));
        // Items that were created since may be among the rows.
        yield items.length > left ? items.slice(0, left) : items;
        left = Math.max(0, left - items.length);
        after = page.last ?? after;
      }
      pages = await following;
    }
  }

  return { maxFirstPages, refuseMore, readFirst, readAll };
}
