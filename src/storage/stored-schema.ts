import type { Contract } from '../contract/document/document.js';
import { membersOf } from '../contract/document/members.js';
import { toHandlerValues } from '../contract/schema/handler-values.js';
import type { Column, ColumnType, ColumnTypeOf } from './columns.js';

export interface StoredSchema {
  readonly table: string;
  /** Its name under `components/schemas`. */
  readonly schema: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Columns that the contract does not have. */
  readonly besideContract: readonly string[];
}

/** A wrong column is a compile error. Two calls, because TypeScript infers all type arguments or none. */
export function tableOf<Schema>() {
  return <const Table extends string, const Columns extends { readonly [Name in keyof Columns]: ColumnType }>(
    stored: Omit<StoredSchema, 'columns'> & {
      readonly table: Table;
      readonly columns: Columns & NoInfer<ColumnFaults<Table, Columns, Schema>>;
    },
  ): StoredSchema => stored;
}

type ColumnFaults<Table extends string, Columns, Schema> = {
  readonly [Name in keyof Columns]: Name extends keyof Schema
    ? Columns[Name] extends ColumnTypeFor<Schema[Name]>
      ? unknown
      : Fault<`The column "${Name & string}" of the table "${Table}" must be ${ColumnTypeFor<Schema[Name]>}.`>
    : Fault<`The table "${Table}" has the column "${Name & string}", and the contract has no such member.`>;
} & {
  readonly [Name in Exclude<keyof Schema, keyof Columns> &
    string]: `The table "${Table}" has no column for the member "${Name}".`;
};

type ColumnTypeFor<Value> = ColumnTypeOf<Exclude<Value, undefined>>;

/** No column type fits this, so TypeScript shows the sentence. */
interface Fault<Sentence> {
  readonly fault: Sentence;
}

/** @throws {ContractError} if the contract has no such schema */
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
