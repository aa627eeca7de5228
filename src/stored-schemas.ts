import { type Contract, ContractError } from './contract/document.js';
import { type Member, membersOf } from './contract/members.js';
import { plantTable } from './plants/table.js';
import { type Column, readTable, type Table } from './postgres/columns.js';
import type { Database } from './postgres/database.js';

/** Which table holds the values of which schema. A part of the service that has a table says so itself. */
interface StoredSchema {
  readonly table: string;
  /** The name of the schema under components; its members and the columns have the same names. */
  readonly schema: string;
  /** Columns that the service fills, and the contract does not know. */
  readonly besideContract: readonly string[];
}

const storedSchemas: readonly StoredSchema[] = [plantTable];

/** The types of PostgreSQL that hold every value of a type of the contract. */
const wideEnough: Readonly<Record<string, readonly string[]>> = {
  int32: ['integer', 'bigint', 'numeric'],
  int64: ['bigint', 'numeric'],
  number: ['double precision', 'numeric'],
  boolean: ['boolean'],
  'date-time': ['text', 'character varying'],
  string: ['text', 'character varying'],
};

/**
 * Compares the tables with the schemas whose values they hold.
 *
 * @throws {ContractError} where a table could refuse or change what the contract admits
 */
export async function checkTables(contract: Contract, database: Database): Promise<void> {
  const faults: string[] = [];
  for (const stored of storedSchemas) {
    const members = membersOf(contract, stored.schema);
    const whole = contract.place(['components', 'schemas', stored.schema]);
    faults.push(...faultsOf(members, whole, await readTable(database, stored.table), stored));
  }
  if (faults.length > 0) throw new ContractError(faults.join('\n'));
}

function faultsOf(
  members: readonly Member[],
  whole: string,
  { columns, constraints }: Table,
  stored: StoredSchema,
): string[] {
  const { table, schema, besideContract } = stored;
  const known = new Set([...members.map(({ name }) => name), ...besideContract]);
  return [
    ...members.flatMap((member) => {
      const what = narrowness(member, columns.get(member.name));
      return what === undefined ? [] : [`${member.place}: the column ${table}.${member.name} ${what}.`];
    }),
    ...[...columns.values()]
      .filter(({ name, needed }) => needed && !known.has(name))
      .map(
        ({ name }) => `${whole}: the column ${table}.${name} is NOT NULL, and ${schema} has no such member.`,
      ),
    ...constraints.map(
      (constraint) =>
        `${whole}: ${table} has the constraint ${constraint}, of which the contract says nothing.`,
    ),
  ];
}

/** In what a column cannot hold all that the member may be; undefined where it can. */
function narrowness({ name, schema, required }: Member, column: Column | undefined): string | undefined {
  if (column === undefined) return `is missing: add a migration for ${name}`;
  const { type = '', format = '', maxLength } = schema;
  const wanted = wideEnough[format] ?? wideEnough[type];
  const [plain = column.type] = column.type.split('(');
  if (!wanted?.includes(plain) || (plain === 'numeric' && column.type !== plain)) {
    return `is ${column.type}, which does not hold every ${[type, format].filter(Boolean).join(' of the format ')}`;
  }
  if (column.length !== null && (typeof maxLength !== 'number' || maxLength > column.length)) {
    const most = typeof maxLength === 'number' ? `up to ${maxLength}` : 'any number';
    return `holds ${column.length} characters, and the contract admits ${most}`;
  }
  if (column.needed && (!required || schema.nullable === true)) {
    return 'is NOT NULL, and the contract lets the member be absent or null';
  }
  return undefined;
}
