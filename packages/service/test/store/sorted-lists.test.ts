import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { readContract } from '../../../service-tools/index.js';
import { ListPositionError } from '../../src/errors/list-position.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { type ListQuery, type Store, TableStore } from '../../src/store/store.js';
import { columnsOf, type Table, type TableTypes, tableOf } from '../../src/store/table.js';
import { documentOf } from '../support/contract/contract.js';
import { makeDatabase } from '../support/postgres/database.js';
import { WatchedDatabase } from '../support/replicas.js';

/** Lists that are sorted by a column of each type: their order, their positions, and the plans of their statements. */

type TypesOf<Of> = Of extends Table<infer Types extends TableTypes> ? Types : never;

type Reading = {
  id: bigint;
  meter: bigint;
  day: number;
  value: number;
  unit: string;
  note?: string;
};

const members = `
    Reading:
      type: object
      required: [id, meter, day, value, unit]
      properties:
        id: { type: integer, format: int64 }
        meter: { type: integer, format: int64 }
        day: { type: integer, format: int32 }
        value: { type: number, format: double }
        unit: { type: string, pattern: '^[^\\x00]*$' }
        note: { type: string, pattern: '^[^\\x00]*$' }`;

const readings = tableOf<Reading>()({
  table: 'readings',
  schema: 'Reading',
  owner: 'owner',
  key: 'id',
  isKeyAnswered: true,
  columns: {
    id: 'bigint',
    meter: 'bigint',
    day: 'integer',
    value: 'double precision',
    unit: 'text',
    note: 'text',
  },
  filters: ['meter'],
  sorts: ['id', 'meter', 'day', 'value', 'unit'],
});
type Readings = TypesOf<typeof readings>;

const sql = `CREATE TABLE readings (owner text, id bigint, meter bigint NOT NULL, day integer NOT NULL,
  value double precision NOT NULL, unit text COLLATE "C" NOT NULL, note text, PRIMARY KEY (owner, id))`;
const sorted = ['meter', 'day', 'value', 'unit'] as const;
const indexOf = (...names: string[]) =>
  `CREATE INDEX readings_by_${names.join('_')} ON readings (owner, ${names.join(', ')}, id)`;
const indexes = [
  ...sorted.map((name) => indexOf(name)),
  ...sorted.filter((name) => name !== 'meter').map((name) => indexOf('meter', name)),
];

/** Makes the table, and reads its contract. */
async function makeTable(t: Test) {
  const database = new WatchedDatabase(await makeDatabase(t));
  t.teardown(() => database.close());
  await database.query({ text: sql });
  const yaml = documentOf('  {}', `components:\n  schemas:${members}\n`);
  return {
    database,
    contract: await readContract(join(t.testdir({ 'contract.yaml': yaml }), 'contract.yaml')),
  };
}

async function open(t: Test) {
  const { database, contract } = await makeTable(t);
  await database.query({ text: indexes.join(';') });
  t.strictSame(await checkTables(contract, database, [readings]), []);
  const store = new TableStore(database, readings, columnsOf(contract, readings), new LongLists());
  return { database, store };
}

async function itemsOf(list: Promise<Reading[] | AsyncIterable<Reading[]>>): Promise<Reading[]> {
  const items: Reading[] = [];
  for await (const page of await list) items.push(...([page].flat() as Reading[]));
  return items;
}

/** The values are chosen so that some are equal, and so that JavaScript's numbers and PostgreSQL's texts could differ. */
const all: Reading[] = Array.from({ length: 30 }, (_, at) => ({
  id: BigInt(30 - at),
  meter: 2n ** 62n + BigInt(at % 7),
  day: (at % 5) - 2,
  value: [0.1, -0.1, 1e300, 5e-324, 1 / 3, 0][at % 6] ?? 0,
  unit: ['m³', 'kWh', 'Wh', 'kwh', ''][at % 5] ?? '',
}));

function compare(name: (typeof sorted)[number] | 'id', one: Reading, other: Reading): number {
  const [value, than] = [one[name], other[name]];
  if (typeof value === 'string') return Buffer.compare(Buffer.from(value), Buffer.from(`${than}`));
  // Two values of one member have the same type.
  const another = than as number | bigint;
  return value < another ? -1 : Number(value > another);
}

t.test('a list is sorted by each type of column, and begins after any item', async (t) => {
  const { store } = await open(t);
  await Promise.all(all.map((item) => store.create('ada', item)));
  for (const name of [...sorted, 'id'] as const) {
    const ascending = all.toSorted((one, other) => compare(name, one, other) || compare('id', one, other));
    for (const [sort, wanted] of [
      [name, ascending],
      [`-${name}`, ascending.toReversed()],
    ] as const) {
      t.strictSame(structuredClone(await itemsOf(store.list('ada', { sort }))), wanted, sort);
      for (const [at, { id, meter, day, value, unit }] of wanted.entries()) {
        const values = { meter, day, value, unit };
        const place =
          name === 'id' ? {} : { [`after${name[0]?.toUpperCase()}${name.slice(1)}`]: values[name] };
        const query: ListQuery<Readings> = { sort, after: id, limit: 3, ...place };
        const ids = (await itemsOf(store.list('ada', query))).map((item) => item.id);
        t.strictSame(
          ids,
          wanted.slice(at + 1, at + 4).map((item) => item.id),
          `${sort} after ${id}`,
        );
      }
    }
  }
});

t.test(
  'every statement of a sorted list reads its own rows only, also if it was planned for an empty table',
  async (t) => {
    const { database, store } = await open(t);
    // Statistics that PostgreSQL gathers meanwhile would stay, and the plans would not be those of an empty table.
    await database.query({ text: 'ALTER TABLE readings SET (autovacuum_enabled = false)' });
    const insert = `INSERT INTO readings SELECT 'ada', id, 5, id % 10, 1, CASE id WHEN 50 THEN chr(31) ELSE 'Wh' END, NULL
    FROM generate_series(1, 300) AS id`;
    await database.query({ text: insert });
    database.statements = [];
    const sorts = [...sorted, 'id'].flatMap((name) => [name, `-${name}`]);
    for (const [sort, filter] of sorts.flatMap((name) => [
      [name, {}] as const,
      [name, { meter: 5n }] as const,
    ])) {
      const place = sort.endsWith('day') ? { after: 7n, afterDay: 5 } : {};
      // The compiler cannot follow that the texts are those of `sorts`.
      const query = { sort, ...place, ...filter } as ListQuery<Readings>;
      t.ok((await itemsOf(store.list('ada', query))).length > 100, sort);
      await Promise.all([1, 2].map((limit) => store.list('ada', { ...query, limit })));
    }
    const statements = database.statements.splice(0);
    const client = new pg.Client(database.url);
    await client.connect();
    t.teardown(() => client.end());
    await client.query('SET plan_cache_mode = force_generic_plan; TRUNCATE readings');
    for (const { text, values = [] } of statements) {
      await client.query(`PREPARE kept AS ${text}`);
      const { rows } = await client.query(`EXPLAIN EXECUTE kept(${values.map(() => 'NULL').join(', ')})`);
      await client.query('DEALLOCATE kept');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      const what = `${values.length} parameters: ${text}`;
      t.match(plan, /Index Scan (?:Backward )?using readings_/, what);
      t.notMatch(plan, /Seq Scan|Bitmap|Incremental/, what);
      // Only the lists of a batch are sorted, by their places in it.
      t.notMatch(plan, /Sort Key: (?!list\.ordinal)/, what);
    }
  },
);

t.test('the start refuses an order that no index serves in both directions', async (t) => {
  const { database, contract } = await makeTable(t);
  await database.query({ text: indexes.filter((index) => index !== indexOf('unit')).join(';') });
  const refused =
    /the order by readings\.unit has no index: add a migration with CREATE INDEX ON "readings" \("owner", "unit", "id"\)\.$/;
  for (const index of [
    'SELECT',
    'CREATE INDEX other ON readings (owner, unit)',
    'CREATE INDEX other ON readings (owner, unit, id DESC)',
    'CREATE INDEX other ON readings (owner, unit COLLATE "default", id)',
    'CREATE INDEX other ON readings (owner, unit text_pattern_ops, id)',
  ]) {
    await database.query({ text: index });
    await t.rejects(checkTables(contract, database, [readings]), { message: refused }, index);
    await database.query({ text: 'DROP INDEX IF EXISTS other' });
  }
  await database.query({ text: 'CREATE INDEX other ON readings (owner DESC, unit DESC, id DESC)' });
  t.strictSame(await checkTables(contract, database, [readings]), []);
});

t.test('the start refuses an order by a jsonb', async (t) => {
  const { database, contract } = await makeTable(t);
  const columns = { ...readings.columns, unit: 'jsonb' } as const;
  await t.rejects(checkTables(contract, database, [{ ...readings, columns }]), {
    message: /readings\.unit is in `sorts` of its table\.ts, and a jsonb has no order/,
  });
});

t.test('the start refuses a filter and an order that have no index together', async (t) => {
  const { database, contract } = await makeTable(t);
  await database.query({ text: indexes.filter((index) => index !== indexOf('meter', 'day')).join(';') });
  const refused =
    /the filter readings\.meter with the order by day has no index: add a migration with CREATE INDEX ON "readings" \("owner", "meter", "day", "id"\)\.$/;
  await database.query({ text: 'CREATE INDEX other ON readings (owner, day, meter, id)' });
  await t.rejects(checkTables(contract, database, [readings]), { message: refused });
  await database.query({ text: indexOf('meter', 'day') });
  t.strictSame(await checkTables(contract, database, [readings]), []);
});

t.test('a place that is not whole, or of another order, is refused', async (t) => {
  const { store } = await open(t);
  const queries: readonly ListQuery<Readings>[] = [
    { sort: 'day', after: 1n },
    { sort: '-day', after: 1n, afterUnit: 'm' },
    { sort: 'day', afterDay: 1 },
    { after: 1n, afterDay: 1 },
    { sort: 'id', after: 1n, afterDay: 1 },
  ];
  for (const query of queries) await t.rejects(store.list('ada', query), ListPositionError);

  const { database, contract } = await makeTable(t);
  const numbered = { ...readings, key: 'meter' };
  const named = new TableStore(database, numbered, columnsOf(contract, numbered), new LongLists());
  await t.rejects(named.list('ada', { sort: 'id', afterDay: 1 }), {
    message: /with the "meter" of the same item in query\/after/,
  });
});

t.test(
  'the compiler refuses an order that the store does not know, and pages that could not follow',
  async (t) => {
    const opened = (await open(t)).store;
    const store: Store<Readings> = opened;
    const [known, unknown, endless] = [
      { sort: 'day', after: undefined, afterDay: undefined },
      { sort: 'note' },
      { sort: 'day', after: undefined },
    ] as const;
    t.strictSame(await store.list('ada', known, performance.now()), []);
    // @ts-expect-error: some items have no note, so the table cannot offer this order.
    t.strictSame(await store.list('ada', unknown, performance.now()), []);
    // @ts-expect-error: No page could follow in a sorted list: add the parameter "afterDay".
    t.strictSame(await store.list('ada', endless, performance.now()), []);
    // @ts-expect-error: an optional member has no order.
    tableOf<Reading>()({ ...readings, filters: [], sorts: ['note'] });
    const mixed = { ...readings, columns: { ...readings.columns, unit: 'jsonb' }, filters: [] } as const;
    // @ts-expect-error: a member of texts and numbers is kept as jsonb, and has no order.
    tableOf<Omit<Reading, 'unit'> & { unit: string | number }>()({ ...mixed, sorts: ['unit'] });
    // @ts-expect-error: int32 and int64 together are kept as jsonb, too.
    tableOf<Omit<Reading, 'unit'> & { unit: number | bigint }>()({ ...mixed, sorts: ['unit'] });
  },
);
