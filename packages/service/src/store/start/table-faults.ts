/** Compares the columns and the key of a table with the members of the contract, and with the code. */
import type { Member } from '../../contract/document/members.js';
import type { CatalogueTable } from '../../postgres/catalogue.js';
import { type ContractSchema, withAllOf } from '../../schema/schema.js';
import { type ColumnType, quoted } from '../columns/columns.js';
import { columnsBesideContract, type StoredTable } from '../table.js';
import { columnTypeOf } from './column-type-of.js';
import { openObjectIn } from './open-objects.js';
import { admitsNul } from './unstorable-text.js';

/** A difference between the contract, the code and the database. */
export interface Fault {
  /** The place in the YAML. */
  readonly place?: string;
  /** A sentence without its full stop. */
  readonly what: string;
  /** What whoever wrote the migration of the table can do. */
  readonly advice?: string;
  /** When the service can start with it, because it refuses, changes and loses nothing without an answer. */
  readonly harmless?: 'always' | 'if newer';
}

/** PostgreSQL's types that hold a declared type. Without a line here, only that type does. */
const fittingTypes: Readonly<Partial<Record<ColumnType, readonly string[]>>> = {
  text: ['text', 'character varying'],
};

export function columnFaults(
  members: readonly Member[],
  { columns }: CatalogueTable,
  stored: StoredTable,
): Fault[] {
  const { table, schema, columns: declared } = stored;
  const besideContract = columnsBesideContract(stored);
  const known = new Set([...members.map(({ name }) => name), ...besideContract]);
  const ofMembers = members.flatMap((member): Fault[] => {
    const { name, place } = member;
    const type = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const fault = besideContract.includes(name)
      ? { what: "is the service's own: give the member another name" }
      : (declarationFault(member, type) ?? columnFault(member, columns, type));
    return fault === undefined
      ? []
      : [{ place, ...fault, what: `the column ${table}.${name} ${fault.what}` }];
  });
  const ofColumns = [...columns.values()]
    .filter(({ name, needed }) => needed && !known.has(name))
    .map(({ name }) => ({
      what: `the column ${table}.${name} is NOT NULL, and ${schema} has no such member`,
    }));
  return [...ofMembers, ...ofColumns];
}

export function keyFaults({ primaryKey }: CatalogueTable, { table, owner, key }: StoredTable): Fault[] {
  const needed = `PRIMARY KEY (${owner}, ${key})`;
  if (primaryKey?.replaceAll('"', '') === needed) return [];
  return [{ what: `${table} needs ${needed}, and has ${primaryKey ?? 'no primary key'}` }];
}

/** The next page begins after a value that comes as a parameter, and a plain text is not the text of a jsonb. */
export function orderFaults({ table, columns, sorts = [] }: StoredTable): Fault[] {
  return sorts
    .filter((name) => columns[name] === 'jsonb')
    .map((name) => ({
      what: `${table}.${name} is in \`sorts\` of its table.ts, and a jsonb has no order that a list can go on in`,
      advice: 'take it out, or give all values of the member one plain type in the contract',
    }));
}

/**
 * Without its index, a list would read all items of an owner for each page. A list that is filtered and sorted
 * has an index of its own: with the index of the filter alone, PostgreSQL would sort all items that fit, for
 * each page.
 */
export function indexFaults(
  { indexes }: CatalogueTable,
  { table, owner, key, filters = [], sorts = [] }: StoredTable,
): Fault[] {
  const filteredBy = filters.filter((name) => name !== key);
  const sortedBy = sorts.filter((name) => name !== key);
  const lists = [
    ...filteredBy.map((name) => ({ members: [name], what: `the filter ${table}.${name}` })),
    ...sortedBy
      .filter((name) => !filteredBy.includes(name))
      .map((name) => ({ members: [name], what: `the order by ${table}.${name}` })),
    ...filteredBy.flatMap((filter) =>
      sortedBy
        .filter((name) => name !== filter)
        .map((name) => ({
          members: [filter, name],
          what: `the filter ${table}.${filter} with the order by ${name}`,
        })),
    ),
  ];
  return lists.flatMap(({ members, what }): Fault[] => {
    const needed = [owner, ...members, key];
    if (indexes.some((columns) => needed.every((column, at) => columns[at] === column))) return [];
    const columns = `${quoted(table)} (${needed.map(quoted).join(', ')})`;
    return [
      {
        what: `${what} has no index`,
        advice: `add a migration with CREATE INDEX ON ${columns}`,
        harmless: 'if newer',
      },
    ];
  });
}

/** The rest of a sentence that begins with the name of the column. */
type ColumnFault = Pick<Fault, 'what' | 'advice'>;

/** Compares the contract with `columns` of a table. The database has no part in it. */
function declarationFault(
  { name, schema }: Member,
  declared: ColumnType | undefined,
): ColumnFault | undefined {
  const wanted = columnTypeOf(schema);
  if (declared === undefined) {
    return { what: `has no line in \`columns\` of its table.ts: add \`${name}: '${wanted}'\`` };
  }
  if (declared === 'uuid' && !isUuid(schema)) {
    return {
      what: `is 'uuid' in \`columns\` of its table.ts, and the contract admits other values: add "format: uuid", or declare '${wanted}'`,
    };
  }
  if (declared !== wanted && declared !== 'uuid') {
    return { what: `is '${declared}' in \`columns\` of its table.ts, and the contract needs '${wanted}'` };
  }
  const open = wanted === 'jsonb' ? openObjectIn(schema) : undefined;
  if (open !== undefined)
    return { what: `would lose ${open}: name each member of its objects by "properties"` };
  if ((wanted === 'text' || wanted === 'jsonb') && admitsNul(schema)) {
    return {
      what: `cannot hold U+0000, which the contract admits: add "pattern: '^[^\\x00]*$'" to each of its strings`,
    };
  }
  return undefined;
}

/** @returns whether every value of the schema is a text of the format uuid */
function isUuid(schema: ContractSchema): boolean {
  return columnTypeOf(schema) === 'text' && withAllOf(schema).some(({ format }) => format === 'uuid');
}

/** PostgreSQL's NAMEDATALEN without the byte at its end. */
const maxNameBytes = 63;

function columnFault(
  { name, schema, required }: Member,
  columns: CatalogueTable['columns'],
  declared: ColumnType = 'text',
): ColumnFault | undefined {
  const column = columns.get(name);
  if (column === undefined && Buffer.byteLength(name) > maxNameBytes) {
    return {
      what: `has a name of more than ${maxNameBytes} bytes, and PostgreSQL cuts longer names`,
      advice: 'give the member a shorter one',
    };
  }
  if (column === undefined) {
    const folded = columns.has(name.toLowerCase()) ? `, or write ${quoted(name)} with its quotes there` : '';
    return { what: 'is missing', advice: `add a migration for ${name}${folded}` };
  }
  const [plain = column.type] = column.type.split('(');
  if (!(fittingTypes[declared] ?? [declared]).includes(plain)) {
    return {
      what: `is ${column.type}, and \`columns\` of its table.ts says ${declared}`,
      advice: 'change it by a migration',
    };
  }
  const maxLength = Math.min(...withAllOf(schema).map((part) => Number(part['maxLength'] ?? Infinity)));
  if (column.length !== null && maxLength > column.length) {
    const admitted = maxLength === Infinity ? 'any number' : `up to ${maxLength}`;
    return { what: `holds ${column.length} characters, and the contract admits ${admitted}` };
  }
  // A default does not help: a create that lacks the member stores NULL.
  if (column.notNull && !required) return { what: 'is NOT NULL, and the contract lets the member be absent' };
  if (required && !column.notNull) {
    return {
      what: `may be NULL, and the contract requires ${name}`,
      advice: 'add a migration that fills it and sets it NOT NULL',
    };
  }
  return undefined;
}
