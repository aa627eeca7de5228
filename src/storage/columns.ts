/** How a column of PostgreSQL keeps a member of a schema exactly. */
import { type JsonValue, parseJson } from '../contract/json.js';
import { exactJson } from './exact-json.js';

export type ColumnType = 'text' | 'bigint' | 'integer' | 'double precision' | 'boolean' | 'jsonb';

/**
 * The type of the column for a member of this type. A member that may be null needs jsonb, which tells null
 * from absent.
 */
export type ColumnTypeOf<Value> = [Value] extends [string]
  ? 'text'
  : [Value] extends [bigint]
    ? 'bigint'
    : [Value] extends [number]
      ? 'integer' | 'double precision'
      : [Value] extends [boolean]
        ? 'boolean'
        : 'jsonb';

export interface Column {
  /** The name of the member and of the column. */
  readonly name: string;
  readonly type: ColumnType;
  /** Whether the member may be absent, and its column NULL. */
  readonly optional: boolean;
  /** Converts what `parseJson` returns to the generated type. Only jsonb needs it. */
  fromJson(value: JsonValue): unknown;
}

/** The members of one object, by their names. */
export type Members = Readonly<Record<string, unknown>>;

/** jsonb comes from bodies, whose depth the contract limits (`x-limits`) to less than this. */
const maxDepth = 1_000;

/** A member as a query parameter; null if it is absent. */
export function toParameter({ name, type }: Column, members: Members): unknown {
  if (!Object.hasOwn(members, name)) return null;
  const value = members[name];
  return type === 'jsonb' ? exactJson(value) : value;
}

/** A member from the text that PostgreSQL makes of its column. */
export function fromText({ type, fromJson }: Column, text: string): unknown {
  switch (type) {
    case 'text':
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

/** The members of a row, from the texts of its columns; null is an absent member. */
export function readMembers(columns: readonly Column[], texts: readonly (string | null)[]): Members {
  const members = columns.flatMap((column, at) => {
    const text = texts[at] ?? null;
    return text === null ? [] : [[column.name, fromText(column, text)]];
  });
  return Object.fromEntries(members);
}

/** Whether two objects have the same members with the same values, in whatever order. */
export function haveSameMembers(columns: readonly Column[], one: Members, other: Members): boolean {
  return columns.every((column) => toParameter(column, one) === toParameter(column, other));
}

/** A name as a quoted identifier of SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
