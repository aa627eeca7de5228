/** How a column of PostgreSQL holds a member of a schema of the contract, and gives back exactly what it was given. */
import { type JsonValue, parseJson } from '../contract/json.js';
import { exactJson } from './exact-json.js';

export type ColumnType = 'text' | 'bigint' | 'integer' | 'double precision' | 'boolean' | 'jsonb';

/** The type of the column that holds a member of this type. One that may be null is jsonb, which tells null from absent. */
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
  /** Whether the member may be absent: the column is NULL then. */
  readonly optional: boolean;
  /** From JSON as `parseJson` reads it to what the generated type promises. Only jsonb needs it. */
  fromJson(value: JsonValue): unknown;
}

/** The members of one object, by their names. */
export type Members = Readonly<Record<string, unknown>>;

/** jsonb comes from bodies, whose depth the contract bounds (`x-limits`); no bound there is higher than this one. */
const deepest = 1_000;

/** A member as a query parameter; null if it is absent. */
export function toParameter({ name, type }: Column, members: Members): unknown {
  if (!Object.hasOwn(members, name)) return null;
  const value = members[name];
  return type === 'jsonb' ? exactJson(value) : value;
}

/** A member from what PostgreSQL writes of its column as text. */
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
      return fromJson(parseJson(text, deepest));
  }
}

/** The members of a row, from the texts of its columns; null is an absent one. */
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

/** A name in SQL, whatever characters and upper-case letters it has. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
