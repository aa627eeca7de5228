import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readContract } from '../../../service-tools/index.js';
import { Database } from '../../src/postgres/database.js';
import {
  type ColumnType,
  type Members,
  quoted,
  readMembers,
  toParameter,
} from '../../src/store/columns/columns.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { columnsOf, type StoredTable } from '../../src/store/table.js';
import { documentOf } from '../support/contract/contract.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';

/** A table of seeds, with a column of each type. */
const seeds: StoredTable = {
  table: 'seeds',
  schema: 'Seed',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: true,
  columns: {
    id: 'bigint',
    'in "mm"': 'integer',
    weight: 'double precision',
    organic: 'boolean',
    name: 'text',
    origin: 'jsonb',
    note: 'jsonb',
  },
};

const tableOfSeeds = `
  CREATE TABLE seeds (owner text NOT NULL, id bigint NOT NULL, "in ""mm""" integer, weight double precision,
                      organic boolean, name varchar(20), origin jsonb, note jsonb, PRIMARY KEY (owner, id))`;

const base = `
    Base:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int64 }
        name: { type: string, pattern: '^[a-z]*$' }`;

const members = `
            in "mm": { type: integer, format: int32 }
            weight: { type: number }
            organic: { type: boolean }
            name: { type: string, maxLength: 20 }
            origin: { $ref: '#/components/schemas/Origin' }
            note: { type: string, nullable: true, enum: [a, null] }`;

const origin = `
    Origin: { type: object, properties: { place: { type: integer, format: int64 }, year: { type: integer, format: int32 } } }`;

async function contractOf(t: Test, extra = '', more = members) {
  const schema = `
    Seed:
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object${extra}
          properties:${more}`;
  const yaml = documentOf('  {}', `components:\n  schemas:${base}${schema}${origin}\n`);
  return readContract(join(t.testdir({ 'contract.yaml': yaml }), 'contract.yaml'));
}

t.test('every type of column returns exactly the values that were stored', async (t) => {
  const database = openDatabase(t, await makeDatabase(t));
  await database.query({ text: tableOfSeeds });
  const contract = await contractOf(t);
  await checkTables(contract, database, [seeds]);
  const columns = columnsOf(contract, seeds);
  t.strictSame(
    new Map(columns.map(({ name, optional }) => [name, optional])),
    new Map(columns.map(({ name }) => [name, name !== 'id'])),
  );
  t.equal(columns.length, Object.keys(seeds.columns).length);
  const all: Members = {
    id: -(2n ** 63n),
    name: '',
    'in "mm"': -(2 ** 31),
    weight: 5e-324,
    organic: false,
    origin: { year: 1, place: 2n ** 63n - 1n },
    note: null,
  };
  const names = columns.map(({ name }) => quoted(name));
  for (const seed of [all, { id: 7n }] as Members[]) {
    await database.query({
      text: `INSERT INTO seeds (owner, ${names}) VALUES ('x', ${columns.map((_, at) => `$${at + 1}`)})`,
      values: columns.map((column) => toParameter(column, seed)),
    });
    const { rows } = await database.query<{ texts: (string | null)[] }>({
      text: `SELECT ARRAY[${names.map((name) => `${name}::text`)}] AS texts FROM seeds WHERE id = $1`,
      values: [seed['id']],
    });
    const texts = rows[0]?.texts ?? [];
    t.strictSame(structuredClone(readMembers(columns, texts)), seed);
  }
});

t.test('columns of a table.ts that do not fit the contract end the start with a sentence', async (t) => {
  const database = openDatabase(t, await makeDatabase(t));
  await database.query({ text: tableOfSeeds });
  const withColumns = (columns: Readonly<Record<string, ColumnType>>) => [{ ...seeds, columns }];
  const { weight, ...others } = seeds.columns as Readonly<Record<string, ColumnType>>;
  const contract = await contractOf(t);
  t.equal(columnsOf(contract, { ...seeds, columns: others }).length, Object.keys(others).length);
  await t.rejects(checkTables(contract, database, withColumns(others)), {
    message:
      /the column seeds\.weight has no line in `columns` of its table\.ts: add `weight: 'double precision'`\./,
  });
  await t.rejects(checkTables(contract, database, withColumns({ ...others, weight: 'integer' })), {
    message:
      /the column seeds\.weight is 'integer' in `columns` of its table\.ts, and the contract needs 'double precision'\./,
  });
  await t.rejects(checkTables(contract, database, [{ ...seeds, besideContract: ['name'] }]), {
    message: /the column seeds\.name is the service's own: give the member another name\./,
  });
});

t.test('a stored schema must not allow members that it does not name', async (t) => {
  const database = openDatabase(t, await makeDatabase(t));
  const contract = await contractOf(t, '\n          additionalProperties: { type: string }');
  await t.rejects(checkTables(contract, database, [seeds]), {
    message:
      /contract\.yaml:\d+:\d+: "additionalProperties" lets a Seed have members that its table has no column for: name each member\./,
  });
});

t.test('a column name that lost its capital letters in SQL is reported with the remedy', async (t) => {
  const database = openDatabase(t, await makeDatabase(t));
  await database.query({ text: tableOfSeeds });
  await database.query({ text: 'ALTER TABLE seeds RENAME organic TO isorganic' });
  const contract = await contractOf(t, '', members.replace('organic', 'isOrganic'));
  const { organic, ...others } = seeds.columns as Readonly<Record<string, ColumnType>>;
  await t.rejects(
    checkTables(contract, database, [{ ...seeds, columns: { ...others, isOrganic: 'boolean' } }]),
    {
      message:
        /seeds\.isOrganic is missing: add a migration for isOrganic, or write "isOrganic" with its quotes there\./,
    },
  );
});

t.test('a member whose name PostgreSQL cuts is told so, and not that a migration is missing', async (t) => {
  const database = openDatabase(t, await makeDatabase(t));
  const name = 'o'.repeat(64);
  await database.query({ text: tableOfSeeds });
  await database.query({ text: `ALTER TABLE seeds RENAME organic TO ${name}` });
  const { organic, ...others } = seeds.columns as Readonly<Record<string, ColumnType>>;
  await t.rejects(
    checkTables(await contractOf(t, '', members.replace('organic', name)), database, [
      { ...seeds, columns: { ...others, [name]: 'boolean' } },
    ]),
    { message: /seeds\.o{64} has a name of more than 63 bytes, .*: give the member a shorter one\./ },
  );
});

t.test('a database that rounds floating-point numbers ends the start', async (t) => {
  const url = await makeDatabase(t);
  const admin = new Database(url, () => {});
  await admin.query({ text: tableOfSeeds });
  await admin.query({ text: `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET extra_float_digits = 0` });
  await admin.close();
  const database = openDatabase(t, url);
  await t.rejects(checkTables(await contractOf(t), database, [seeds]), {
    message: 'The database has extra_float_digits = 0, which rounds numbers: set it to 1.',
  });
});

t.test('a member whose column could not hold all its values ends the start', async (t) => {
  const database = openDatabase(t, await makeDatabase(t));
  await database.query({ text: tableOfSeeds });
  const withNote = (schema: string) => members.replace(/note: .*/, `note: ${schema}`);
  const any = await contractOf(t, '', withNote('{ type: object, additionalProperties: { type: boolean } }'));
  await t.rejects(checkTables(any, database, [seeds]), {
    message:
      /the column seeds\.note would lose the members that "additionalProperties" admits: name each member/,
  });
  const text = await contractOf(t, '', withNote('{ type: string, nullable: true }'));
  await t.rejects(checkTables(text, database, [seeds]), {
    message: /the column seeds\.note cannot hold U\+0000, which the contract admits: add "pattern/,
  });
});
