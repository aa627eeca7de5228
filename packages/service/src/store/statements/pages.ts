/**
 * The SQL that reads pages of lists, which statements/list.ts asks for.
 *
 * A page begins after a position, and its rows come from an index in the order of the list. The filters and the
 * order of a list are part of its statements, so that each combination of them is planned for its own index. If
 * there are several filters, it is the index of one of them with the order.
 */
import type { Statement } from '../../postgres/database.js';
import { type Column, quoted } from '../columns/columns.js';
import { pageTextSql } from '../columns/page-text.js';
import type { TableNames } from '../table.js';
import { type Order, type OrderSql, orderSql } from './order.js';

/**
 * `first` and `max` are items of one page. A statement reads up to `growth` times the items of the last one,
 * in up to `pages` pages of about `characters`.
 */
export const sizes = { first: 100, growth: 4, max: 1_600, characters: 2 ** 16, pages: 8 };

/** What the statements of lists differ in. Lists that have it in common share statements. */
export interface ListKind {
  /** The columns by whose values the lists are filtered. */
  readonly filters: readonly Column[];
  readonly order: Order;
  /** Whether the lists begin after a position, instead of with the first item. */
  readonly isContinued: boolean;
}

/** @returns words for the names of statements: nothing for a whole list in the order of the keys */
export function describe({ filters, order, isContinued }: ListKind): string {
  const by = filters.map(({ name }) => ` by ${name}`).join('');
  const [first, ...others] = order.columns;
  const sorted = others.length === 0 ? '' : `, sorted by ${first?.name}`;
  return `${by}${sorted}${order.isDescending ? ', descending' : ''}${isContinued ? ', continued' : ''}`;
}

/** Reads the first `limit` items in the order of a list; `which` and `limit` are SQL. */
type FirstOf = (which: string, limit: string) => string;

/**
 * The constant LIMIT keeps the planner from sorting all items for each page
 * (packages/service/test/store/list-plan.minutes.test.ts). The outer ORDER BY sorts nothing: it only promises the order.
 */
function firstOfTable({ table }: TableNames, { by }: OrderSql): FirstOf {
  return (which, limit) =>
    `SELECT item.*
     FROM (SELECT * FROM ${table} AS item WHERE ${which} ORDER BY ${by} LIMIT ${sizes.max}) AS item
     ORDER BY ${by} LIMIT (SELECT ${limit}::int)`;
}

/** @returns SQL that begins with AND, or nothing: `item` has the values of the filters, which `parameterOf` writes */
function isFiltered(filters: readonly Column[], parameterOf: (at: number, type: string) => string): string {
  return filters.map(({ name, type }, at) => ` AND item.${quoted(name)} = ${parameterOf(at, type)}`).join('');
}

/** @returns how parameters that begin after `before` others are written */
function parametersAfter(before: number): (at: number, type: string) => string {
  return (at, type) => `$${before + at + 1}::${type}`;
}

/** The statements of lists of the same kind. A position is a parameter for each column of the order. */
interface PageStatements {
  /**
   * The first page of a list that is alone. Its parameters: owner, size, the position if the list is continued,
   * then the filters.
   */
  readonly alone: Statement;
  /** The first pages of several lists. Its parameters are those of `alone`, as arrays. */
  readonly together: Statement;
  /** The rows up to a position. Its parameters: owner, position, then the filters. */
  readonly upTo: Statement;
  /** The rows between two positions. Its parameters: owner, the last position, the one before, then the filters. */
  readonly between: Statement;
  /** The pages after a position. Its parameters: owner, size, number of pages, position, then the filters. */
  readonly next: string;
}

export function pageStatements(names: TableNames, kind: ListKind): PageStatements {
  const { owner, answered } = names;
  const { filters, order, isContinued } = kind;
  const sql = orderSql(order, filters);
  const firstOf = firstOfTable(names, sql);
  const width = order.columns.length;
  const isOwners = `item.${owner} = $1`;
  const isAfterStart = isContinued ? ` AND ${sql.isAfter(parametersAfter(2))}` : '';
  const filtered = (before: number) => isFiltered(filters, parametersAfter(before));
  const first = `${isOwners}${isAfterStart}${filtered(isContinued ? 2 + width : 2)}`;
  const isUpTo = `${isOwners} AND ${sql.isUpTo(parametersAfter(1))}`;
  const again = (which: string): Statement => ({
    text: `SELECT ${answered.map(({ name: column }) => `item.${quoted(column)}::text`).join(', ')}
           FROM ${names.table} AS item WHERE ${which} ORDER BY ${sql.by}`,
    rowMode: 'array',
    reads: true,
  });
  return {
    alone: {
      name: `first page of ${names.name}${describe(kind)}`,
      text: `SELECT ${pageColumns(answered, sql)}, $2::int AS size FROM (${firstOf(first, '$2')}) AS item`,
      reads: true,
    },
    together: {
      name: `first pages of ${names.name}${describe(kind)}`,
      text: firstPages(names, kind, sql, firstOf),
      reads: true,
    },
    upTo: again(`${isUpTo}${filtered(1 + width)}`),
    between: again(`${isUpTo} AND ${sql.isAfter(parametersAfter(1 + width))}${filtered(1 + 2 * width)}`),
    next: nextPages(names, kind, sql, firstOf),
  };
}

/**
 * Reads each list's first page. SELECT hides the arrays' lengths from the planner, which would otherwise plan
 * short batches anew each time.
 */
function firstPages(
  { owner, answered }: TableNames,
  { filters, order, isContinued }: ListKind,
  sql: OrderSql,
  firstOf: FirstOf,
): string {
  const position = isContinued ? order.columns : [];
  const types = ['text', 'int', ...[...position, ...filters].map(({ type }) => type)];
  const arrays = types.map((type, at) => `(SELECT $${at + 1}::${type}[])`).join(', ');
  const starts = position.map((_, at) => `start_${at}`);
  const names = ['owner', 'size', ...starts, ...filters.map((_, at) => `value_${at}`)].join(', ');
  const isAfterStart = isContinued ? ` AND ${sql.isAfter((at) => `list.start_${at}`)}` : '';
  const filtered = isFiltered(filters, (at) => `list.value_${at}`);
  return `SELECT page.*
   FROM unnest(${arrays}) WITH ORDINALITY AS list (${names}, ordinal)
   CROSS JOIN LATERAL (
     SELECT ${pageColumns(answered, sql)}, list.size
     FROM (${firstOf(`item.${owner} = list.owner${isAfterStart}${filtered}`, 'list.size')}) AS item
   ) AS page ORDER BY ordinal`;
}

function pageColumns(answered: readonly Column[], { last }: OrderSql): string {
  return `${pageTextSql(answered).ofRows}, ${last}, count(*)::int AS length`;
}

/** Row 0 is the page before. The last or an unexpectedly large page ends the statement. */
function nextPages(
  { owner, answered }: TableNames,
  { filters, order }: ListKind,
  sql: OrderSql,
  firstOf: FirstOf,
): string {
  const texts = pageTextSql(answered);
  const start = order.columns.map(({ type }, at) => `$${at + 4}::${type} AS last_${at}`).join(', ');
  const filtered = isFiltered(filters, parametersAfter(3 + order.columns.length));
  const isNext = `item.${owner} = $1 AND ${sql.isAfter((at) => `page.last_${at}`)}${filtered}`;
  return `WITH RECURSIVE pages_read AS (
      SELECT 0 AS ordinal, ${texts.ofNone}, ${start}, $2::int AS length, $2::int AS size
      UNION ALL
      SELECT ordinal + 1, next.*
      FROM pages_read AS page CROSS JOIN LATERAL (
        SELECT ${pageColumns(answered, sql)}, $2::int
        FROM (${firstOf(isNext, '$2')}) AS item
      ) AS next
      WHERE page.length = $2 AND ordinal < $3 AND ${texts.bytes} < ${4 * sizes.characters}
    )
    SELECT * FROM pages_read WHERE ordinal > 0`;
}
