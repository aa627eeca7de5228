/**
 * Describes a table: which member of the contract's schema is the key, which column is the owner's, and which
 * column holds each member.
 *
 * A table is written by hand (plants/table.ts), and three things must agree with it. The compiler compares it
 * with the types of the contract: a member without a column, a column without a member, and a column of the
 * wrong type do not compile. start/check-tables.ts compares it with the contract's schema, and with the table
 * in the database.
 */
import type { Contract } from '../contract/contract.js';
import { membersOf } from '../contract/document/members.js';
import { toHandlerValues } from '../schema/handler-values.js';
import {
  type Column,
  type ColumnType,
  type ColumnTypeOf,
  type Id,
  type Members,
  quoted,
} from './columns/columns.js';
import { newUuid } from './new-uuid.js';

/** A table as it is written by hand. */
export interface StoredTable {
  /** The name of the table, in lower case. */
  readonly table: string;
  /** The schema of the items, by its name under `components/schemas`. */
  readonly schema: string;
  /** The column of the items' owner, which is not a member. The primary key is the owner, then the key. */
  readonly owner: string;
  /**
   * The member that is the key: it is required, and an int64, a text or a UUID. An owner has at most one item
   * with the same key.
   */
  readonly key: string;
  /**
   * Who chooses the key of a new item: 'client', if this is left out. The 'server' makes UUIDs, so the key's
   * column is a uuid, and items are answered with their key.
   */
  readonly keyFrom?: KeyFrom;
  /** Whether items are answered with their key. */
  readonly isKeyAnswered: boolean;
  /** The type of each column that holds a member, by the member's name. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /**
   * The members by whose values a list can be filtered. Each needs an index of the owner, the member and the
   * key, in this order, so that a page of a filtered list is as quick as any other.
   */
  readonly filters?: readonly string[];
  /**
   * The members by whose values a list can be sorted: those that every item has. Each but the key needs an
   * index of the owner, the member and the key, in this order. It serves a filter by the member, too. Each
   * filter by another member needs an index of the owner, the filter, the member and the key.
   */
  readonly sorts?: readonly string[];
  /** Other columns that the contract does not have. The store does not write them. */
  readonly besideContract?: readonly string[];
  /**
   * The word that the store answers if a created or updated item violates a constraint, by the constraint's
   * name. A row policy is named `insufficient_privilege`.
   */
  readonly failures?: Readonly<Record<string, string>>;
  /**
   * The word that the store answers if a foreign key refuses a delete, because rows refer to the item, by the
   * constraint's name.
   */
  readonly deleteFailures?: Readonly<Record<string, string>>;
}

type KeyFrom = 'client' | 'server';

/** The types of the items that a table stores, and of the answers of its store. */
export interface TableTypes {
  readonly item: Members;
  readonly key: Id;
  /** What an item is created of: the item, or all but its key if the server makes that. */
  readonly created: Members;
  /** What a create says if the key is taken; never, if the server makes it. */
  readonly conflict: 'conflict';
  /** An answered item: with its key, or without it. */
  readonly body: Members;
  /** The values that a list may be filtered by: some of the members in `filters`. */
  readonly filter: Members;
  /** How a list may be sorted, and where it begins then. */
  readonly sorting: Members;
  /** The words of `failures` and of `deleteFailures`. */
  readonly failure: string;
  readonly deleteFailure: string;
}

/** A table with the types of its items, so that its store has them, too. */
export interface Table<Types extends TableTypes> extends StoredTable {
  readonly failures?: Readonly<Record<string, Types['failure']>>;
  readonly deleteFailures?: Readonly<Record<string, Types['deleteFailure']>>;
  /** Gives a new item its key, if the server makes the keys. Each call makes another one. */
  itemOf(created: Types['created']): Types['item'];
  idOf(item: Types['item']): Types['key'];
  bodyOf(item: Types['item']): Types['body'];
}

/**
 * Describes a table. A wrong column is a compile error, whose message is a sentence. It takes two calls,
 * because TypeScript infers all type arguments or none: the first one names the item's type, and the second
 * one has the rest.
 */
export function tableOf<Item extends Members>() {
  return <
    const Name extends string,
    const Columns extends { readonly [Member in keyof Columns]: ColumnType },
    const Key extends KeyOf<Item>,
    const IsKeyAnswered extends boolean,
    const From extends KeyFrom = 'client',
    const Filter extends FilterOf<Item> = never,
    const Sort extends SortOf<Item> = never,
    const Failure extends string = never,
    const DeleteFailure extends string = never,
  >(
    stored: Omit<StoredTable, 'keyFrom' | 'columns' | 'filters' | 'sorts' | 'failures' | 'deleteFailures'> & {
      readonly table: Name;
      readonly key: Key;
      readonly isKeyAnswered: IsKeyAnswered;
      readonly keyFrom?: From &
        NoInfer<KeyFromFault<From, Name, Columns[Key & keyof Columns], IsKeyAnswered>>;
      readonly columns: Columns & NoInfer<ColumnFaults<Name, Columns, Item>>;
      readonly filters?: readonly Filter[];
      readonly sorts?: readonly Sort[];
      readonly failures?: Readonly<Record<string, Failure>>;
      readonly deleteFailures?: Readonly<Record<string, DeleteFailure>>;
    },
  ): Table<{
    item: Item;
    key: Item[Key] & Id;
    created: From extends 'server' ? Omit<Item, Key> & { readonly [Name in Key]?: never } : Item;
    conflict: From extends 'server' ? never : 'conflict';
    body: IsKeyAnswered extends true ? Item : Omit<Item, Key>;
    filter: { readonly [Name in Filter]?: Item[Name] | undefined };
    sorting: SortingOf<Item, Key, Sort>;
    failure: Failure;
    deleteFailure: DeleteFailure;
  }> => ({
    ...stored,
    // The compiler cannot follow the condition: an item is created without its key exactly if this adds the key.
    itemOf: (created) =>
      (stored.keyFrom === 'server' ? { ...created, [stored.key]: newUuid() } : created) as Item,
    // KeyOf admits only members that are always a bigint or a string.
    idOf: (item) => item[stored.key] as Item[Key] & Id,
    bodyOf(item) {
      const { [stored.key]: _, ...others } = item;
      // The compiler cannot follow the condition: the key is left out exactly if the type leaves it out.
      return (stored.isKeyAnswered ? item : others) as IsKeyAnswered extends true ? Item : Omit<Item, Key>;
    },
  });
}

/** The required members that are int64 or texts. */
type KeyOf<Item> = {
  [Name in keyof Item]-?: [Item[Name]] extends [bigint] | [string] ? Name : never;
}[keyof Item] &
  string;

type KeyFromFault<From, Table extends string, KeyColumn, IsKeyAnswered> = From extends 'server'
  ? KeyColumn extends 'uuid'
    ? IsKeyAnswered extends true
      ? unknown
      : TableFault<`The server makes the keys of the table "${Table}", so isKeyAnswered must be true.`>
    : TableFault<`The server makes UUIDs, so the key of the table "${Table}" must be in a column uuid.`>
  : unknown;

/**
 * The members whose values are equal or not, and nothing else: no objects, lists or null. The names of a range
 * and of an order have their meaning already (lists.ts).
 */
type FilterOf<Item> = Exclude<
  { [Name in keyof Item]-?: ColumnTypeFor<Item[Name]> extends 'jsonb' ? never : Name }[keyof Item] & string,
  'limit' | 'after' | 'sort' | AfterOf<string>
>;

/**
 * The members that every item has, and whose values have an order: all texts, or all numbers of one type. An
 * absent value would be first in one system, and last in another. A mixture of types is kept as jsonb.
 */
type SortOf<Item> = {
  [Name in keyof Item]-?: [Item[Name]] extends [string] | [number] | [bigint] ? Name : never;
}[keyof Item] &
  string;

/** The parameter that says with which value of a member a sorted list goes on: `afterName` for `name`. */
export type AfterOf<Name extends string> = `after${Capitalize<Name>}`;

/** @returns the parameter `AfterOf` */
export function afterOf(name: string): string {
  return `after${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The values of the parameter `sort`, with a minus for descending, and a parameter for each member but the key. */
type SortingOf<Item, Key extends string, Sort extends keyof Item & string> = [Sort] extends [never]
  ? Record<never, never>
  : { readonly sort?: Sort | `-${Sort}` | undefined } & {
      readonly [Name in Exclude<Sort, Key> as AfterOf<Name>]?: Item[Name] | undefined;
    };

type ColumnFaults<Table extends string, Columns, Schema> = {
  readonly [Name in keyof Columns]: Name extends keyof Schema
    ? Columns[Name] extends ColumnTypeFor<Schema[Name]>
      ? unknown
      : TableFault<`The column "${Name & string}" of the table "${Table}" must be ${ColumnTypeFor<Schema[Name]>}.`>
    : TableFault<`The table "${Table}" has the column "${Name & string}", and the contract has no such member.`>;
} & {
  readonly [Name in Exclude<keyof Schema, keyof Columns> &
    string]: `The table "${Table}" has no column for the member "${Name}".`;
};

type ColumnTypeFor<Value> = ColumnTypeOf<Exclude<Value, undefined>>;

/** No column type fits this, so TypeScript shows the sentence. */
interface TableFault<Sentence> {
  readonly fault: Sentence;
}

/** @returns the columns that hold no member */
export function columnsBesideContract({ owner, besideContract = [] }: StoredTable): readonly string[] {
  return [owner, ...besideContract];
}

/**
 * @returns the columns of the table's members, in the order of the contract
 * @throws {ContractError} if the contract has no such schema, or if it admits members without a name
 */
export function columnsOf(contract: Contract, { schema, columns }: StoredTable): Column[] {
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

/** A table as statements name it. */
export interface TableNames {
  /** The table's name, from which the names of statements are made. */
  readonly name: string;
  /** The table's name as an SQL identifier. So are `owner` and `key`. */
  readonly table: string;
  readonly owner: string;
  readonly key: string;
  readonly keyType: ColumnType;
  /** The columns other than the owner's and the key's. */
  readonly members: readonly Column[];
  /** The columns that are answered. */
  readonly answered: readonly Column[];
}

/** @param columns those of `columnsOf` */
export function namesOf(
  { table, owner, key, isKeyAnswered }: StoredTable,
  columns: readonly Column[],
): TableNames {
  const members = columns.filter(({ name }) => name !== key);
  // The start has checked that there is a column for the key.
  const keyType = columns.find(({ name }) => name === key)?.type ?? 'bigint';
  return {
    name: table,
    table: quoted(table),
    owner: quoted(owner),
    key: quoted(key),
    keyType,
    members,
    answered: isKeyAnswered ? columns : members,
  };
}
