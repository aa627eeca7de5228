import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readContract } from '../../../service-tools/index.js';
import { OverloadError } from '../../src/errors/overloads.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { checkTables } from '../../src/store/start/check-tables.js';
import { type ListQuery, type Store, TableStore } from '../../src/store/store.js';
import { columnsOf, type Table, type TableTypes, tableOf } from '../../src/store/table.js';
import { documentOf } from '../support/contract/contract.js';
import { makeDatabase } from '../support/postgres/database.js';
import { WatchedDatabase } from '../support/replicas.js';

type TypesOf<Of> = Of extends Table<infer Types extends TableTypes> ? Types : never;

/** A table whose names are those that the store's own SQL has, and reserved words. */

type Visit = {
  nr: bigint;
  size: number;
  last?: string;
  owner?: { place: bigint };
  'in "mm"'?: boolean;
};

const members = `
    Visit:
      type: object
      required: [nr, size]
      properties:
        nr: { type: integer, format: int64 }
        size: { type: integer, format: int32 }
        last: { type: string, pattern: '^[^\\x00]*$' }
        owner: { type: object, properties: { place: { type: integer, format: int64 } } }
        in "mm": { type: boolean }`;

const named = {
  table: 'order',
  schema: 'Visit',
  owner: 'of',
  key: 'nr',
  columns: { nr: 'bigint', size: 'integer', last: 'text', owner: 'jsonb', 'in "mm"': 'boolean' },
} as const;
const visits = tableOf<Visit>()({ ...named, isKeyAnswered: true });
const visitsWithoutKey = tableOf<Visit>()({ ...named, isKeyAnswered: false });

const sql = `CREATE TABLE "order" ("of" text, nr bigint, size integer NOT NULL, last text, owner jsonb,
  "in ""mm""" boolean, PRIMARY KEY ("of", nr))`;

async function open(t: Test) {
  const database = new WatchedDatabase(await makeDatabase(t));
  t.teardown(() => database.close());
  await database.query({ text: sql });
  const yaml = documentOf('  {}', `components:\n  schemas:${members}\n`);
  const contract = await readContract(join(t.testdir({ 'contract.yaml': yaml }), 'contract.yaml'));
  await checkTables(contract, database, [visits]);
  const columns = columnsOf(contract, visits);
  const longLists = new LongLists();
  return {
    database,
    contract,
    longLists,
    store: new TableStore(database, visits, columns, longLists),
    /** Of the same table, and answers items without their keys. */
    withoutKey: new TableStore(database, visitsWithoutKey, columns, longLists),
  };
}

async function itemsOf<Item>(list: Promise<Item[] | AsyncIterable<Item[]>>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of await list) items.push(...([page].flat() as Item[]));
  return items;
}

const visit = (nr: bigint): Visit => ({
  nr,
  size: Number(nr % 100n),
  last: `visit ${nr}`,
  owner: { place: nr },
});

t.test('items of any table are created, found, listed, updated and deleted', async (t) => {
  const { database, store } = await open(t);
  const items = [1n, 2n, 3n].map(visit);
  t.same(await store.create('ada', visit(1n)), visit(1n));
  t.same(await Promise.all(items.map((item) => store.create('ada', item))), items, 'again, and others');
  t.equal(await store.create('ada', { ...visit(1n), size: 99 }), 'conflict', 'other content');
  t.same(await Promise.all([1n, 4n].map((nr) => store.find('ada', nr))), [visit(1n), undefined]);
  t.same(await store.list('ada'), items);
  t.same(await store.list('bob'), []);
  const changed: Visit = { nr: 2n, size: 7, 'in "mm"': true };
  t.same(await store.update('ada', changed), changed);
  const several = await Promise.all([changed, { nr: 9n, size: 9 }].map((item) => store.update('ada', item)));
  t.same(several, [changed, 'absent']);
  t.same(await store.list('ada'), [visit(1n), changed, visit(3n)]);
  t.strictSame(await Promise.all([1n, 9n].map((nr) => store.delete('ada', nr))), ['deleted', 'absent']);
  t.strictSame(await store.delete('ada', 2n), 'deleted');
  t.same(await store.list('ada'), [visit(3n)]);
  for (const { name } of database.statements) if (name !== undefined) t.match(name, / of order$/);
});

t.test('a table decides whether its items are answered with their keys', async (t) => {
  const { withoutKey } = await open(t);
  const { nr: _, ...answered } = visit(1n);
  t.strictSame(structuredClone(await withoutKey.create('ada', visit(1n))), answered);
  t.strictSame(structuredClone(await withoutKey.create('ada', visit(1n))), answered, 'again');
  t.strictSame(structuredClone(await withoutKey.update('ada', visit(1n))), answered);
  t.strictSame(structuredClone(await withoutKey.find('ada', 1n)), answered);
  t.strictSame(structuredClone(await withoutKey.list('ada')), [answered]);
});

t.test('a list begins after a key, with and without a limit, at the ends of int64, too', async (t) => {
  const { store } = await open(t);
  const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];
  const keys = [least, -1n, 0n, 5n, greatest];
  const keysIn = async (range: Parameters<typeof store.list>[1]) =>
    (await itemsOf(store.list('ada', range))).map(({ nr }) => nr);
  await Promise.all(keys.map((nr) => store.create('ada', { nr, size: 1 })));
  t.strictSame(await keysIn({}), keys);
  t.strictSame(await keysIn({ after: undefined, limit: undefined }), keys);
  t.strictSame(await keysIn({ after: least }), keys.slice(1));
  t.strictSame(await keysIn({ after: -1n, limit: 2 }), [0n, 5n]);
  t.strictSame(await keysIn({ after: 3n }), [5n, greatest], 'which no item has');
  t.strictSame(await keysIn({ after: greatest - 1n }), [greatest]);
  t.strictSame(await keysIn({ after: greatest }), []);
});

t.test('lists of the same moment share a statement, also if they begin at different keys', async (t) => {
  const { database, store } = await open(t);
  await Promise.all([1n, 2n, 3n].map((nr) => store.create('ada', visit(nr))));
  database.statements = [];
  const lists = await Promise.all([0n, 1n, 2n, 3n].map((after) => store.list('ada', { after, limit: 1 })));
  t.same(lists, [[visit(1n)], [visit(2n)], [visit(3n)], []]);
  t.equal(database.statements.length, 1);
});

t.test('a list of thousands that begins after a key is whole', async (t) => {
  const { database, store } = await open(t);
  await database.query({
    text: `INSERT INTO "order" ("of", nr, size, last)
           SELECT 'ada', nr, nr % 100, CASE nr WHEN 4000 THEN U&'x\\001fy' ELSE 'visit ' || nr END
           FROM generate_series(1, 7000) AS nr`,
  });
  const listed = await itemsOf(store.list('ada', { after: 1_000n }));
  t.strictSame(
    listed.map(({ nr }) => nr),
    Array.from({ length: 6_000 }, (_, at) => BigInt(1_001 + at)),
  );
  t.equal(listed[2_999]?.last, 'x\u001fy');
  t.equal((await itemsOf(store.list('ada', { after: 1_000n, limit: 2_345 }))).length, 2_345);
});

t.test('the slots for long lists of an owner are shared by all tables', async (t) => {
  const { database, store, withoutKey } = await open(t);
  await database.query({
    text: `INSERT INTO "order" ("of", nr, size) SELECT 'ada', nr, 1 FROM generate_series(1, 5000) AS nr`,
  });
  const readers: AsyncIterator<unknown>[] = [];
  for (let count = 0; count < 20; count++) {
    const list = await (count % 2 === 0 ? store : withoutKey).list('ada');
    if (!(Symbol.asyncIterator in list)) throw new Error('A long list does not come in pages.');
    const reader = list[Symbol.asyncIterator]();
    readers.push(reader);
    await reader.next();
  }
  await t.rejects(store.list('ada'), OverloadError);
  await t.rejects(withoutKey.list('ada'), OverloadError);
  await Promise.all(readers.map((reader) => reader.return?.()));
  t.ok(await store.list('ada'), 'once they have ended');
});

t.test('a list is filtered by each type of column, also by several at once', async (t) => {
  const table = tableOf<Visit>()({ ...named, isKeyAnswered: true, filters: ['size', 'last', 'in "mm"'] });
  const { database, contract, longLists } = await open(t);
  await t.rejects(checkTables(contract, database, [table]), {
    message:
      /the filter order\.size has no index: add a migration with CREATE INDEX ON "order" \("of", "size", "nr"\)\.\n.*order\.last/,
  });
  for (const column of ['size', 'last', '"in ""mm"""'])
    await database.query({ text: `CREATE INDEX ON "order" ("of", ${column}, nr)` });
  t.same(await checkTables(contract, database, [table]), []);

  const opened = new TableStore(database, table, columnsOf(contract, table), longLists);
  const store: Store<TypesOf<typeof table>> = opened;
  const all: Visit[] = Array.from({ length: 24 }, (_, at) => ({
    nr: BigInt(at),
    size: at % 2,
    ...(at % 3 > 0 && { last: `visit ${at % 3}` }),
    ...(at % 4 > 0 && { 'in "mm"': at % 4 === 1 }),
  }));
  await Promise.all(all.map((item) => store.create('ada', item, performance.now())));
  const queries: readonly ListQuery<TypesOf<typeof table>>[] = [
    {},
    { size: 1 },
    { last: 'visit 2' },
    { 'in "mm"': false },
    { size: 1, last: 'visit 1', 'in "mm"': true },
    { size: 0, last: undefined, limit: 2, after: 3n },
    { last: 'visit 3' },
  ];
  const wanted = queries.map(({ limit = all.length, after = -1n, ...filters }) =>
    all
      .filter((item) => {
        const members = new Map<string, unknown>(Object.entries(item));
        const given = Object.entries(filters).filter(([, value]) => value !== undefined);
        return item.nr > after && given.every(([name, value]) => members.get(name) === value);
      })
      .slice(0, limit),
  );
  const lists = queries.map((query) => store.list('ada', query, performance.now()));
  t.same(await Promise.all(lists), wanted);

  const query = { limit: 1, colour: 'red' };
  // @ts-expect-error: the table has no filter "colour".
  t.same(await store.list('ada', query, performance.now()), all.slice(0, 1));
});
