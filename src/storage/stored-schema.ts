import type { Contract } from '../contract/document.js';
import { toHandlerValues } from '../contract/handler-values.js';
import { membersOf } from '../contract/members.js';
import type { Column, ColumnType } from './columns.js';

/** Which table holds the values of which schema. Each resource says it of its own table. */
export interface StoredSchema {
  readonly table: string;
  /** The name of the schema under components; its members and the columns have the same names. */
  readonly schema: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Columns that the service fills, and the contract does not know. */
  readonly besideContract: readonly string[];
}

/**
 * The columns of a table with what the contract says of their members.
 *
 * @throws {ContractError} if the contract has no such schema
 */
export function columnsOf(contract: Contract, { schema, columns }: StoredSchema): Column[] {
  return membersOf(contract, schema).flatMap((member) => {
    const type = Object.hasOwn(columns, member.name) ? columns[member.name] : undefined;
    // checkTables refuses a member without a column.
    if (type === undefined) return [];
    const convert = type === 'jsonb' ? toHandlerValues(member.schema) : undefined;
    return {
      name: member.name,
      type,
      optional: !member.required,
      fromJson: convert ?? ((value) => value),
    };
  });
}
