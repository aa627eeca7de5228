/**
 * The order of a list, and the SQL for it.
 *
 * The items of a list are sorted by their keys, or by a member and then by the key, because items may have
 * equal values. So each item has a position that no other item has, and a page can begin after the position
 * of the last item that was read, even if that item has changed or is gone since.
 *
 * For example, beds are sorted by name, and a page ends with the bed 7, "Herbs". The next page has the rows
 * with `(name, id) > ('Herbs', 7)`: beds of the same name with a larger id, and then those of other names. The
 * index on the owner, the name and the id has them in this order, forwards and backwards, which is why the key
 * descends if the member does.
 */
import { type Column, quoted } from '../columns/columns.js';

/** How a list is sorted. */
export interface Order {
  /** The columns that decide, the first one first. The last one is the key. None of them is NULL. */
  readonly columns: readonly Pick<Column, 'name' | 'type'>[];
  readonly isDescending: boolean;
}

/** The values of an item in the columns of an order. */
export type Position = readonly unknown[];

/** The SQL for an order. Statements call the table, and rows that are made of it, `item`. */
export interface OrderSql {
  /** What follows ORDER BY: the columns that can differ. */
  readonly by: string;
  /**
   * A condition: the item comes after a position.
   *
   * @param position SQL for a value of the position, by its place in it
   */
  isAfter(position: (at: number, type: string) => string): string;
  /** A condition: the item comes at a position, or before it. */
  isUpTo(position: (at: number, type: string) => string): string;
  /** Aggregates rows that are in this order: the position of the last one, as `last_0`, `last_1` and so on. */
  readonly last: string;
}

/** @param filters the columns of which all items of the list have the same value */
export function orderSql(
  { columns, isDescending }: Order,
  filters: readonly Pick<Column, 'name'>[],
): OrderSql {
  const names = columns.map(({ name }) => `item.${quoted(name)}`);
  const direction = isDescending ? ' DESC' : '';
  // The planner leaves a filtered column out of the order of a subquery, and would then sort its rows again
  // for an outer ORDER BY that names the column.
  const sorted = columns.filter(
    ({ name }, at) => at === columns.length - 1 || !filters.some((filter) => filter.name === name),
  );
  const [after, upTo] = isDescending ? ['<', '>='] : ['>', '<='];
  const compared = (operator: string, position: (at: number, type: string) => string) =>
    `(${names.join(', ')}) ${operator} (${columns.map(({ type }, at) => position(at, type)).join(', ')})`;
  return {
    by: sorted.map(({ name }) => `item.${quoted(name)}${direction}`).join(', '),
    isAfter: (position) => compared(after, position),
    isUpTo: (position) => compared(upTo, position),
    last: columns.map(({ type }, at) => `${lastOf(names[at], type)} AS last_${at}`).join(', '),
  };

  function lastOf(name: string | undefined, type: string): string {
    // For a page of 1,600 rows, array_agg takes PostgreSQL a tenth longer.
    if (columns.length === 1 && type === 'bigint') return isDescending ? `min(${name})` : `max(${name})`;
    // array_agg keeps the order of the query below it (PostgreSQL documentation, section 9.21). As in page-text.ts,
    // the collation is that of the page that a recursive query begins with.
    return `(array_agg(${name}))[count(*)::int]${type === 'text' ? ' COLLATE "default"' : ''}`;
  }
}
