/**
 * How a column of PostgreSQL keeps a member exactly.
 *
 * A member goes to PostgreSQL as a parameter, and comes back as the text that PostgreSQL writes for its
 * column. Neither way may lose a digit, or the difference between null and absent. So int64 is a bigint on
 * both sides, an absent member is NULL, a UUID is in lower case, as PostgreSQL writes it, and everything that
 * no other type holds, such as an object or a member that may be null, is the text of exact-json.ts in jsonb.
 */

import { exactJson, type JsonValue, parseJson } from '../../../../exact-json/index.js';

/** The types of columns that a table may have. */
export type ColumnType = 'text' | 'uuid' | 'bigint' | 'integer' | 'double precision' | 'boolean' | 'jsonb';

/**
 * The types of columns that hold values of a member's type. A uuid is for the format of this name. A member
 * that may be null needs jsonb, because the other types hold NULL for both null and absent.
 */
export type ColumnTypeOf<Value> = [Value] extends [string]
  ? 'text' | 'uuid'
  : [Value] extends [bigint]
    ? 'bigint'
    : [Value] extends [number]
      ? 'integer' | 'double precision'
      : [Value] extends [boolean]
        ? 'boolean'
        : 'jsonb';

/** The value of a key: a bigint for int64, or a string for a text or a UUID. All keys of a table have one type. */
export type Id = bigint | string;

export interface Column {
  /** The name of the column, and of the member. */
  readonly name: string;
  readonly type: ColumnType;
  /** Whether the member may be absent. Then the column is NULL. */
  readonly optional: boolean;
  /** Converts `parseJson` values to the generated type, for jsonb. */
  fromJson(value: JsonValue): unknown;
}

/** The members of an item, by their names. A member that is absent has no entry. */
export type Members = Readonly<Record<string, unknown>>;

/** A stored value never nests so deep, because the contract limits bodies to less (`x-limits`). */
const maxDepth = 1_000;

/**
 * @returns the value for PostgreSQL: null if the member is absent, and a text of JSON for jsonb
 * @throws {TypeError} if a handler gives a Date, a Temporal value or another object for a text, a number or a
 * boolean, or one of them within jsonb
 */
export function toParameter({ name, type }: Column, members: Members): unknown {
  if (!Object.hasOwn(members, name)) return null;
  const value = members[name];
  if (type === 'jsonb') return exactJson(value);
  // pg 8.23 would store the text of a Temporal value in quotation marks, and a Date in the local time zone.
  if (typeof value === 'object' && value !== null)
    throw new TypeError(
      `The member ${name} is an object, and its column has the type ${type}: give it the text or number that the contract's format names.`,
    );
  return type === 'uuid' && typeof value === 'string' ? value.toLowerCase() : value;
}

/**
 * @param uuids the columns of UUIDs
 * @returns the members as they are read again after they are stored: UUIDs are in lower case, whichever case
 * the client has sent (RFC 9562, section 4)
 */
export function asStored<Item extends Members>(uuids: readonly Column[], item: Item): Item {
  if (uuids.length === 0) return item;
  const given = uuids.filter(({ name }) => Object.hasOwn(item, name));
  return { ...item, ...Object.fromEntries(given.map((column) => [column.name, toParameter(column, item)])) };
}

/**
 * Reads a member from what PostgreSQL writes if its column is cast to text.
 *
 * @throws {JsonError} if the column is jsonb, and somebody else has stored what `parseJson` refuses
 */
export function fromText({ type, fromJson }: Column, text: string): unknown {
  switch (type) {
    case 'text':
    case 'uuid':
      return text;
    case 'bigint':
      return BigInt(text);
    case 'integer':
    case 'double precision':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'jsonb':
      return fromJson(parseJson(text, maxDepth));
  }
}

/**
 * @param texts the texts of the columns, in their order; null for NULL
 * @throws {JsonError} as `fromText` does
 */
export function readMembers(columns: readonly Column[], texts: readonly (string | null)[]): Members {
  const members: Record<string, unknown> = {};
  columns.forEach((column, at) => {
    const text = texts[at] ?? null;
    if (text !== null) members[column.name] = fromText(column, text);
  });
  return members;
}

/** @returns whether two items have the same members, in whatever order */
export function haveSameMembers(columns: readonly Column[], one: Members, other: Members): boolean {
  return columns.every((column) => toParameter(column, one) === toParameter(column, other));
}

/** @returns the name as an SQL identifier, in double quotes */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
