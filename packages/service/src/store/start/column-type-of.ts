/**
 * Says which type a column must have for a member, by the schema of the member. `ColumnTypeOf` (columns.ts)
 * says the same by the generated type; the compiler uses that, and the start uses this.
 */
import { type ContractSchema, subschemasOf, typesOf } from '../../schema/schema.js';
import type { ColumnType } from '../columns/columns.js';

/** The column type of a format of the contract, or of a type if it has no such format. */
const columnTypes: Readonly<Record<string, ColumnType>> = {
  int32: 'integer',
  int64: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  string: 'text',
};

/**
 * @returns the type that a column needs to hold every value of the schema: jsonb, unless all of its parts
 * have the same plain type
 */
export function columnTypeOf(schema: ContractSchema): ColumnType {
  const parts = subschemasOf(schema);
  // The other column types hold NULL for both null and absent.
  if (parts.some((part) => typesOf(part).includes('null') || part.enum?.includes(null))) return 'jsonb';
  const types = new Set(parts.flatMap(typeOfPart));
  const [only] = types;
  return types.size === 1 && only !== undefined ? only : 'jsonb';
}

function typeOfPart(part: ContractSchema): ColumnType[] {
  const { format = '', enum: values } = part;
  const types = typesOf(part);
  if (types.length === 0) return (values ?? []).map((value) => columnTypes[typeof value] ?? 'jsonb');
  return types.map((type) => (type === 'integer' ? columnTypes[format] : columnTypes[type]) ?? 'jsonb');
}
