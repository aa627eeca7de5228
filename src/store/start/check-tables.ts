/**
 * Refuses a table that could refuse, change or lose what the contract admits, before the service takes its
 * first request.
 *
 * Three descriptions of a table exist: the schema of the contract, the columns in the code (table.ts), and
 * the table in the database, which migrations have made. The compiler compares only the first two, and only
 * their types. For each table, this file asks:
 *
 * 1. Is there a table, and is its primary key the owner, then the key?
 * 2. Does each member have a column whose type holds all of its values, whose length is enough, and that is
 *    NULL only if the member may be absent?
 * 3. Could PostgreSQL refuse a value that the contract admits: by U+0000 in a text, or by a column that is
 *    NOT NULL and holds no member?
 * 4. Does each constraint that can refuse an item have a word in the table, and each word a constraint?
 *
 * For example, a migration makes `name varchar(100)`, and the contract admits 255 characters. Without this
 * check, a name of 101 characters would be a 500. With it, the start ends with the place of the member in the
 * YAML, and the sentence "the column plants.name holds 100 characters, and the contract admits up to 255."
 *
 * The same check runs after new migrations, before their commit, so a wrong one is rolled back.
 */
import { ContractError, inFull } from '../../contract/document/contract-error.js';
import type { Contract } from '../../contract/document/document.js';
import { type Member, membersOf } from '../../contract/document/members.js';
import { withAllOf } from '../../contract/schema/schema.js';
import { readTable, type Table as TableInDatabase } from '../../postgres/catalogue.js';
import type { Database } from '../../postgres/database.js';
import { type ColumnType, quoted } from '../columns/columns.js';
import { rowPolicy } from '../named-failure.js';
import { columnsBesideContract, type StoredTable } from '../table.js';
import { columnTypeOf } from './column-type-of.js';
import { openObjectIn } from './open-objects.js';
import { admitsNul } from './unstorable-text.js';

/** PostgreSQL's types that hold a declared type. Without a line here, only that type does. */
const fittingTypes: Readonly<Partial<Record<ColumnType, readonly string[]>>> = {
  text: ['text', 'character varying'],
};

/**
 * @throws {ContractError} with a sentence for each fault
 * @throws {Error} what `database.query` throws
 */
export async function checkTables(
  contract: Contract,
  database: Pick<Database, 'query'>,
  tables: readonly StoredTable[],
): Promise<void> {
  const faults: string[] = [];
  for (const stored of tables) {
    const members = membersOf(contract, stored.schema);
    const schemaPlace = contract.place(['components', 'schemas', stored.schema]);
    faults.push(...faultsOf(members, schemaPlace, await readTable(database, stored.table), stored));
    if (Object.values(stored.columns).includes('double precision'))
      faults.push(...(await digitFaults(database)));
  }
  if (faults.length > 0) throw new ContractError(faults, inFull);
}

/** PostgreSQL rounds if extra_float_digits is below 1 (PostgreSQL documentation, section 8.1.3). */
async function digitFaults(database: Pick<Database, 'query'>): Promise<string[]> {
  const { rows } = await database.query<{ digits: number }>({
    text: `SELECT current_setting('extra_float_digits')::int AS digits`,
  });
  return rows.flatMap(({ digits }) =>
    digits > 0 ? [] : [`The database has extra_float_digits = ${digits}, which rounds numbers: set it to 1.`],
  );
}

function faultsOf(
  members: readonly Member[],
  schemaPlace: string,
  inDatabase: TableInDatabase,
  stored: StoredTable,
): string[] {
  const { columns, primaryKey } = inDatabase;
  const { table, schema, columns: declared, owner, key } = stored;
  if (columns.size === 0) {
    return [
      `${schemaPlace}: there is no table ${table}: add a migration that makes it to the folder "migrations" of its resource.`,
    ];
  }
  const besideContract = columnsBesideContract(stored);
  const known = new Set([...members.map(({ name }) => name), ...besideContract]);
  const ofMembers = members.flatMap((member) => {
    const { name, place } = member;
    const type = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const fault = besideContract.includes(name)
      ? "is the service's own: give the member another name"
      : (declarationFault(member, type) ?? columnFault(member, columns, type));
    return fault === undefined ? [] : [`${place}: the column ${table}.${name} ${fault}.`];
  });
  const ofColumns = [...columns.values()]
    .filter(({ name, needed }) => needed && !known.has(name))
    .map(
      ({ name }) =>
        `${schemaPlace}: the column ${table}.${name} is NOT NULL, and ${schema} has no such member.`,
    );
  const neededKey = `PRIMARY KEY (${owner}, ${key})`;
  const ofKey =
    primaryKey?.replaceAll('"', '') === neededKey
      ? []
      : [`${schemaPlace}: ${table} needs ${neededKey}, and has ${primaryKey ?? 'no primary key'}.`];
  return [
    ...ofMembers,
    ...ofColumns,
    ...constraintFaults(inDatabase, stored).map((fault) => `${schemaPlace}: ${fault}`),
    ...ofKey,
  ];
}

/** Each constraint that can refuse an item has a name in the table, and each name has a constraint. */
function constraintFaults(
  { constraints, refusedBy }: TableInDatabase,
  { table, failures = {}, deleteFailures = {} }: StoredTable,
): string[] {
  const unnamed = [...constraints].filter(([name]) => !Object.hasOwn(failures, name));
  const unnamedOfOthers = [...refusedBy].filter(([name]) => !Object.hasOwn(deleteFailures, name));
  const gone = Object.keys(failures).filter((name) => !constraints.has(name) && name !== rowPolicy);
  const goneOfOthers = Object.keys(deleteFailures).filter((name) => !refusedBy.has(name));
  return [
    ...unnamed.map(
      ([name, constraint]) =>
        `${table} has the constraint ${constraint}, which the contract does not describe: drop it, or name ${name} in failures of its table.`,
    ),
    ...unnamedOfOthers.map(
      ([name, other]) =>
        `the constraint ${name} of ${other} refuses deletes from ${table}: name it in deleteFailures of ${table}, or say ON DELETE CASCADE.`,
    ),
    ...gone.map((name) => `${table} has no constraint ${name}, which failures of its table names.`),
    ...goneOfOthers.map(
      (name) => `no constraint ${name} refuses deletes from ${table}, as deleteFailures of its table says.`,
    ),
  ];
}

function declarationFault({ schema }: Member, declared: ColumnType | undefined): string | undefined {
  const wanted = columnTypeOf(schema);
  if (declared === undefined) return `is not in the table of columns: add it there as ${wanted}`;
  if (declared !== wanted) {
    return `is ${declared} in the table of columns, and the contract needs ${wanted}`;
  }
  const open = wanted === 'jsonb' ? openObjectIn(schema) : undefined;
  if (open !== undefined) return `would lose ${open}: name each member of its objects by "properties"`;
  if ((wanted === 'text' || wanted === 'jsonb') && admitsNul(schema)) {
    return `cannot hold U+0000, which the contract admits: add "pattern: '^[^\\x00]*$'" to each of its strings`;
  }
  return undefined;
}

function columnFault(
  { name, schema, required }: Member,
  columns: TableInDatabase['columns'],
  declared: ColumnType = 'text',
): string | undefined {
  const column = columns.get(name);
  if (column === undefined) {
    const folded = columns.has(name.toLowerCase()) ? `, or write ${quoted(name)} with its quotes there` : '';
    return `is missing: add a migration for ${name}${folded}`;
  }
  const [plain = column.type] = column.type.split('(');
  if (!(fittingTypes[declared] ?? [declared]).includes(plain)) {
    return `is ${column.type}, and the table of columns says ${declared}: change it by a migration`;
  }
  const maxLength = Math.min(...withAllOf(schema).map((part) => Number(part['maxLength'] ?? Infinity)));
  if (column.length !== null && maxLength > column.length) {
    const admitted = maxLength === Infinity ? 'any number' : `up to ${maxLength}`;
    return `holds ${column.length} characters, and the contract admits ${admitted}`;
  }
  // A default does not help: a create that lacks the member stores NULL.
  if (column.notNull && !required) return 'is NOT NULL, and the contract lets the member be absent';
  if (required && !column.notNull) {
    return `may be NULL, and the contract requires ${name}: add a migration that fills it and sets it NOT NULL`;
  }
  return undefined;
}
