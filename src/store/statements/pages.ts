/**
 * The SQL that reads pages of lists, which statements/list.ts asks for.
 *
 * A page begins after a key, and its rows come from an index in the order of the keys. The filters of a list are
 * part of its statements, so that each combination of them is planned for its own index.
 */
import type { Statement } from '../../postgres/database.js';
import { type Column, quoted } from '../columns/columns.js';
import { pageTextSql } from '../columns/page-text.js';
import type { TableNames } from '../table.js';

/**
 * `first` and `max` are items of one page. A statement reads up to `growth` times the items of the last one,
 * in up to `pages` pages of about `characters`.
 */
export const sizes = { first: 100, growth: 4, max: 1_600, characters: 2 ** 16, pages: 8 };

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

/** The statements of lists that are filtered by the same columns. */
interface PageStatements {
  /** The first page of a list that is alone, as rows. Its parameters: owner, key, size, then the filters. */
  readonly alone: Statement;
  /** The first pages of several lists. Its parameters are those of `alone`, as arrays. */
  readonly together: Statement;
  /** The rows between two keys. Its parameters: owner, both keys, then the filters. */
  readonly again: Statement;
  /** The pages after a key. Its parameters: owner, key, size, number of pages, then the filters. */
  readonly next: string;
}

/** @param filters the columns by whose values the lists are filtered */
export function pageStatements(names: TableNames, filters: readonly Column[]): PageStatements {
  const { table, owner, key, answered } = names;
  const firstOf = firstOfTable(names);
  const texts = pageTextSql(answered);
  const columns = answered.map(({ name }) => quoted(name));
  const pageColumns = `${texts.ofRows}, max(${key}) AS last, count(*)::int AS length`;
  const by = filters.map(({ name }) => ` by ${name}`).join('');
  const isNext = `item.${owner} = $1 AND item.${key} > page.last${isFiltered(filters, parametersAfter(4))}`;
  return {
    alone: {
      name: `first page of ${names.name}${by}`,
      text: firstPage(names, filters, [...columns, key], firstOf),
      rowMode: 'array',
      reads: true,
    },
    together: {
      name: `first pages of ${names.name}${by}`,
      text: firstPages(names, filters, pageColumns, firstOf),
      reads: true,
    },
    again: {
      text: `SELECT ${asTexts(columns)} FROM ${table} AS item
             WHERE item.${owner} = $1 AND item.${key} BETWEEN $2 AND $3
               ${isFiltered(filters, parametersAfter(3))}
             ORDER BY item.${key}`,
      rowMode: 'array',
      reads: true,
    },
    // Row 0 is the page before. The last or an unexpectedly large page ends the statement.
    next: `WITH RECURSIVE pages_read AS (
      SELECT 0 AS ordinal, ${texts.ofNone}, $2::bigint AS last, $3::int AS length, $3::int AS size
      UNION ALL
      SELECT ordinal + 1, next.*
      FROM pages_read AS page CROSS JOIN LATERAL (
        SELECT ${pageColumns}, $3::int
        FROM (${firstOf(isNext, '$3')}) AS item
      ) AS next
      WHERE page.length = $3 AND ordinal < $4 AND ${texts.bytes} < ${4 * sizes.characters}
    )
    SELECT * FROM pages_read WHERE ordinal > 0`,
  };
}
