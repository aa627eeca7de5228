/**
 * What the statements of a table have in common: keys, the order in which rows are locked, and the SQL that
 * gives many rows to one statement.
 */
import type { Owner } from '../../identity/owner.js';
import { type Column, type Id, quoted } from '../columns/columns.js';
import type { TableNames } from '../table.js';

/** The primary key of an item. */
export interface Key {
  readonly owner: Owner;
  /** As PostgreSQL returns it: a UUID is in lower case. */
  readonly id: Id;
}

/** An item as statements take it. */
export interface Row extends Key {
  /** The values of the columns other than the owner's and the key's, in their order. */
  readonly members: readonly unknown[];
}

/** @returns the columns of a `Key`, for a statement that calls the table `item` */
export function keyOf({ owner, key }: TableNames): string {
  return `item.${owner} AS owner, item.${key} AS id`;
}

/** @returns a condition: the row `item` has the key of the row `other` */
export function isKeyOf({ owner, key }: TableNames, other: string): string {
  return `item.${owner} = ${other}.owner AND item.${key} = ${other}.id`;
}

/**
 * @param members the columns other than the owner's and the key's
 * @returns SQL for the rows `given`, which come as parameters. They have `owner`, `id`, and `member_0`,
 * `member_1` and so on. The parameter after them is their number: with this LIMIT, the planner uses the index
 */
export function givenRows({ keyType }: TableNames, members: readonly Column[] = []): string {
  const types = ['text', keyType, ...members.map(({ type }) => type)];
  const names = ['owner', 'id', ...members.map((_, at) => `member_${at}`)].join(', ');
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
  return `(SELECT given.* FROM unnest(${arrays}) AS given (${names}) LIMIT $${types.length + 1}) AS given`;
}

/** @returns the parameters of `givenRows` without members */
export function keyParameters(keys: readonly Key[]): unknown[] {
  return [keys.map(({ owner }) => owner), keys.map(({ id }) => id), keys.length];
}

/** @returns the rows as parameters for `unnest`: an array for each column */
export function arraysOf(rows: readonly Row[], columns: readonly Column[]): unknown[][] {
  return [
    rows.map(({ owner }) => owner),
    rows.map(({ id }) => id),
    ...columns.map((_, at) => rows.map(({ members }) => members[at])),
  ];
}

/** @returns the names of all columns, in the order of `arraysOf` */
export function columnNames({ owner, key, members }: TableNames): string {
  return [owner, key, ...members.map(({ name }) => quoted(name))].join(', ');
}

/** @returns the types of all columns, in the order of `arraysOf` */
export function columnTypes({ keyType, members }: TableNames): string[] {
  return ['text', keyType, ...members.map(({ type }) => type)];
}

/**
 * Sorts items by key. If keys are equal, the first item stays.
 *
 * Statements that lock rows in the same order do not wait for each other in a circle. PostgreSQL locks rows
 * in the order of the given keys as long as it joins them by a nested loop, which it does for these
 * statements (packages/service/test/store/statement-plans.test.ts), but does not promise. A foreign key also locks rows of
 * another table, in the order of this one. So a deadlock is rare, but possible: PostgreSQL rolls one of the
 * statements back, and its items run again.
 */
export function inKeyOrder<Item extends Key>(items: readonly Item[]): Item[] {
  const sorted = items.toSorted(compareKeys);
  return sorted.filter((item, index) => {
    const before = sorted[index - 1];
    return before === undefined || compareKeys(before, item) !== 0;
  });
}

function compareKeys(one: Key, other: Key): number {
  if (one.owner !== other.owner) return one.owner < other.owner ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

/**
 * @returns for each item whether a statement returned its key. If keys are equal, only the first item counts
 */
export function eachReturned(items: readonly Key[], returned: readonly Key[]): boolean[] {
  if (returned.length === items.length) return items.map(() => true);
  const left = new Set(returned.map(keyText));
  return items.map((key) => left.delete(keyText(key)));
}

/** @returns for each item whether a statement returned its key */
export function isReturned(items: readonly Key[], returned: readonly Key[]): boolean[] {
  const keys = new Set(returned.map(keyText));
  return items.map((item) => keys.has(keyText(item)));
}

/**
 * @returns the key as a text, which maps and sets can compare. An owner and an id can contain anything, so the
 * length of the owner says where the id begins
 */
export function keyText({ owner, id }: Key): string {
  return `${owner.length} ${owner}${id}`;
}
