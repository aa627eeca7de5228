import { ContractError } from '../../contract/document/contract-error.js';
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

/** @throws {ContractError} if a table could refuse, change or lose what the contract admits */
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
  if (faults.length > 0) throw new ContractError(faults.join('\n'));
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
  { columns, constraints, refusedBy, primaryKey }: TableInDatabase,
  stored: StoredTable,
): string[] {
  const { table, schema, columns: declared, owner, key, failures = {}, deleteFailures = {} } = stored;
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
  const ofConstraints = [...constraints].flatMap(([name, constraint]) =>
    Object.hasOwn(failures, name)
      ? []
      : [
          `${schemaPlace}: ${table} has the constraint ${constraint}, which the contract does not describe: drop it, or name ${name} in failures of its table.`,
        ],
  );
  const ofOthers = [...refusedBy].flatMap(([name, other]) =>
    Object.hasOwn(deleteFailures, name)
      ? []
      : [
          `${schemaPlace}: the constraint ${name} of ${other} refuses deletes from ${table}: name it in deleteFailures of ${table}, or say ON DELETE CASCADE.`,
        ],
  );
  const ofFailures = Object.keys(failures).flatMap((name) =>
    constraints.has(name) || name === rowPolicy
      ? []
      : [`${schemaPlace}: ${table} has no constraint ${name}, which failures of its table names.`],
  );
  const ofDeleteFailures = Object.keys(deleteFailures).flatMap((name) =>
    refusedBy.has(name)
      ? []
      : [
          `${schemaPlace}: no constraint ${name} refuses deletes from ${table}, as deleteFailures of its table says.`,
        ],
  );
  const neededKey = `PRIMARY KEY (${owner}, ${key})`;
  const ofKey =
    primaryKey?.replaceAll('"', '') === neededKey
      ? []
      : [`${schemaPlace}: ${table} needs ${neededKey}, and has ${primaryKey ?? 'no primary key'}.`];
  return [
    ...ofMembers,
    ...ofColumns,
    ...ofConstraints,
    ...ofOthers,
    ...ofFailures,
    ...ofDeleteFailures,
    ...ofKey,
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
  if (column.needed && !required) return 'is NOT NULL, and the contract lets the member be absent';
  if (required && !column.notNull) {
    return `may be NULL, and the contract requires ${name}: add a migration that fills it and sets it NOT NULL`;
  }
  return undefined;
}
