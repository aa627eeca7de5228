/**
 * Reads lists in pages.
 *
 * A list may have millions of items. As one result, they would all be in memory at once. A cursor would hold
 * a connection for as long as the client reads. So each page begins after the last key of the one before
 * (keyset pagination), and no connection is held between two statements. In order:
 *
 * 1. `readFirst` reads the first pages of up to 32 lists in one statement, each of up to 100 items. A list
 *    that is alone has a plainer statement, which reads rows. Most lists end there.
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
import type { Owner } from '../../fairness/owner.js';
import { bind, type Database, type Statement } from '../../postgres/database.js';
import { type Column, type Members, quoted } from '../columns/columns.js';
import { charactersOf, type PageText, pageTextReader, pageTextSql } from '../columns/page-text.js';
import { type TextRow, textRowReader } from '../columns/row-assembly.js';
import type { TableNames } from '../table.js';

export interface List {
  readonly owner: Owner;
  /** The least id that is listed. */
  readonly from: bigint;
  /** How many items are listed at most; Infinity for all. */
  readonly limit: number;
  /** The values of the filters, in the order of their columns. */
  readonly values: readonly unknown[];
}

/** A page of items, by ascending id. */
export interface Page {
  readonly length: number;
  /** How many items were asked for. A page that has fewer is the last. */
  readonly size: number;
  /** The id of the last item; null if there is none. */
  readonly last: bigint | null;
  /** @returns about how many characters the items have together; 1 if none, because it is a divisor */
  readonly characters: () => number;
  /** @returns undefined if an item contains a delimiter, so that the page must be read again as rows */
  readonly read: () => Members[] | undefined;
}

/** A page as one text for each column. */
type TextPage = Pick<Page, 'length' | 'size' | 'last'> & PageText;

/** How many lists share a statement for their first pages. The largest 32 pages take a few megabytes. */
const maxFirstPages = 32;

/**
 * `first` and `max` are items of one page. A statement reads up to `growth` times the items of the last one,
 * in up to `pages` pages of about `characters`.
 */
const sizes = { first: 100, growth: 4, max: 1_600, characters: 2 ** 16, pages: 8 };

/** Reads the first `limit` items in the order of their keys; `which`, `limit` and `columns` are SQL. */
type FirstOf = (which: string, limit: string, columns?: string) => string;

/**
 * The constant LIMIT keeps the planner from sorting all items for each page
 * (test/store/list-plan.minutes.test.ts). The outer ORDER BY sorts nothing: it only promises the order.
 */
function firstOfTable({ table, key }: TableNames): FirstOf {
  return (which, limit, columns = 'item.*') =>
    `SELECT ${columns}
     FROM (SELECT * FROM ${table} AS item WHERE ${which} ORDER BY ${key} LIMIT ${sizes.max}) AS item
     ORDER BY item.${key} LIMIT (SELECT ${limit}::int)`;
}

/** @returns SQL that begins with AND, or nothing: `item` has the values of the filters, which `parameterOf` writes */
function isFiltered(filters: readonly Column[], parameterOf: (at: number, type: string) => string): string {
  return filters.map(({ name, type }, at) => ` AND item.${quoted(name)} = ${parameterOf(at, type)}`).join('');
}

/** @returns how parameters that begin after `before` others are written */
function parametersAfter(before: number): (at: number, type: string) => string {
  return (at, type) => `$${before + at + 1}::${type}`;
}

/**
 * Reads the first page of a list that is alone, as rows: for few items, texts take PostgreSQL longer.
 *
 * @param columns those that are answered, and then the key
 */
function firstPage(
  { owner, key }: TableNames,
  filters: readonly Column[],
  columns: readonly string[],
  firstOf: FirstOf,
): string {
  const filtered = isFiltered(filters, parametersAfter(3));
  return firstOf(`item.${owner} = $1 AND item.${key} >= $2${filtered}`, '$3', asTexts(columns));
}

function asTexts(columns: readonly string[]): string {
  return columns.map((name) => `item.${name}::text`).join(', ');
}

/** The values of the columns that are answered, and the key, which is never NULL. */
type KeyedRow = readonly [...texts: TextRow, key: string];

/**
 * Reads each list's first page. SELECT hides the arrays' lengths from the planner, which would otherwise plan
 * short batches anew each time.
 */
function firstPages(
  { owner, key }: TableNames,
  filters: readonly Column[],
  pageColumns: string,
  firstOf: FirstOf,
): string {
  const types = ['text', 'bigint', 'int', ...filters.map(({ type }) => type)];
  const arrays = types.map((type, at) => `(SELECT $${at + 1}::${type}[])`).join(', ');
  const names = ['owner', 'start', 'size', ...filters.map((_, at) => `value_${at}`)].join(', ');
  const filtered = isFiltered(filters, (at) => `list.value_${at}`);
  return `SELECT page.*
   FROM unnest(${arrays}) WITH ORDINALITY AS list (${names}, ordinal)
   CROSS JOIN LATERAL (
     SELECT ${pageColumns}, list.size
     FROM (${firstOf(`item.${owner} = list.owner AND item.${key} >= list.start${filtered}`, 'list.size')}) AS item
   ) AS page ORDER BY ordinal`;
}

/**
 * Makes the functions that read lists. All of them throw what `Database.query` throws.
 *
 * @param longLists those of all tables
 * @param filters the columns by whose values the lists are filtered
 */
export function pagesOf(
  database: Database,
  names: TableNames,
  longLists: LongLists,
  filters: readonly Column[],
) {
  const { table, owner: ownerName, key, answered } = names;
  const firstOf = firstOfTable(names);
  const texts = pageTextSql(answered);
  const itemsOfTexts = pageTextReader(answered);
  const itemsOfRows = textRowReader(answered);
  const columns = answered.map(({ name }) => quoted(name));
  const pageColumns = `${texts.ofRows}, max(${key}) AS last, count(*)::int AS length`;
  const by = filters.map(({ name }) => ` by ${name}`).join('');
  const alone: Statement = {
    name: `first page of ${names.name}${by}`,
    text: firstPage(names, filters, [...columns, key], firstOf),
    rowMode: 'array',
    reads: true,
  };
  const together: Statement = {
    name: `first pages of ${names.name}${by}`,
    text: firstPages(names, filters, pageColumns, firstOf),
    reads: true,
  };
  const again: Statement = {
    text: `SELECT ${asTexts(columns)} FROM ${table} AS item
           WHERE item.${ownerName} = $1 AND item.${key} BETWEEN $2 AND $3
             ${isFiltered(filters, parametersAfter(3))}
           ORDER BY item.${key}`,
    rowMode: 'array',
    reads: true,
  };
  const isNext = `item.${ownerName} = $1 AND item.${key} > page.last${isFiltered(filters, parametersAfter(4))}`;
  // Row 0 is the page before. The last or an unexpectedly large page ends the statement.
  const next = `WITH RECURSIVE pages_read AS (
      SELECT 0 AS ordinal, ${texts.ofNone}, $2::bigint AS last, $3::int AS length, $3::int AS size
      UNION ALL
      SELECT ordinal + 1, next.*
      FROM pages_read AS page CROSS JOIN LATERAL (
        SELECT ${pageColumns}, $3::int
        FROM (${firstOf(isNext, '$3')}) AS item
      ) AS next
      WHERE page.length = $3 AND ordinal < $4 AND ${texts.bytes} < ${4 * sizes.characters}
    )
    SELECT * FROM pages_read WHERE ordinal > 0`;

  const sizeOf = ({ limit }: List) => Math.min(sizes.first, limit);
  const pageOf = (page: TextPage): Page => ({
    length: page.length,
    size: page.size,
    last: page.last,
    characters: () => charactersOf(answered, page),
    read: () => itemsOfTexts(page),
  });

  /**
   * @param deadline milliseconds of performance.now()
   * @returns the first page of each list, in their order
   */
  async function readFirst(lists: readonly List[], deadline?: number): Promise<Page[]> {
    const [list, ...others] = lists;
    if (list !== undefined && others.length === 0) return [await readAlone(list, deadline)];
    const values = [
      lists.map(({ owner }) => owner),
      lists.map(({ from }) => from),
      lists.map(sizeOf),
      ...filters.map((_, at) => lists.map(({ values }) => values[at])),
    ];
    const { rows } = await database.query<TextPage>(bind(together, values, deadline));
    return rows.map(pageOf);
  }

  async function readAlone(list: List, deadline?: number): Promise<Page> {
    const size = sizeOf(list);
    const { rows } = await database.query<KeyedRow>(
      bind(alone, [list.owner, list.from, size, ...list.values], deadline),
    );
    // The key is the last column, so that the columns before it are those of `itemsOfRows`.
    const last = rows.at(-1)?.at(-1) ?? null;
    return {
      length: rows.length,
      size,
      last: last === null ? null : BigInt(last),
      characters: () => Math.max(1, rows.flat().join('').length),
      read: () => itemsOfRows(rows),
    };
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
    if (before.length < before.size || items <= 0) return [];
    const byCharacters = Math.ceil((sizes.characters * before.length) / before.characters());
    const wanted = Math.min(sizes.max, items, byCharacters);
    // All long lists share the eight pages, so that memory stays flat.
    const pages = Math.min(Math.ceil(sizes.pages / longLists.count), Math.floor(items / wanted));
    const values = [owner, before.last, wanted, pages, ...filtered];
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
    from: bigint,
    last: bigint | null,
  ): Promise<Members[]> {
    const deadline = performance.now() + database.timeoutMs;
    const { rows } = await database.query<TextRow>(bind(again, [owner, from, last, ...values], deadline));
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
    let { from, limit: left } = list;
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
        const items = page.read() ?? (await readRows(list, from, page.last));
        // Items that were created since may be among the rows.
        yield items.length > left ? items.slice(0, left) : items;
        left = Math.max(0, left - items.length);
        from = (page.last ?? from) + 1n;
      }
      pages = await following;
    }
  }

  return { maxFirstPages, refuseMore, readFirst, readAll };
}
