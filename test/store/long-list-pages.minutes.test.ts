import pg from 'pg';
import t, { type Test } from 'tap';
import { insertPlants, storedPlant } from '../../scripts/kit/plants.js';
import { Database, type Statement } from '../../src/postgres/database.js';
import { makeTables } from '../support/database.js';
import { plantMany } from '../support/many-plants.js';
import { storeOf } from '../support/store.js';

/** Notes how many plants the pages after the first one have, and how many characters their names. */
class WatchedPages extends Database {
  readonly pages: { readonly length: number; readonly characters: number }[] = [];

  override async query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    const result = await super.query<Row>(statement);
    if (statement.name === 'next page of plants')
      for (const { length, text_0: text } of result.rows)
        this.pages.push({ length, characters: text.length });
    return result;
  }
}

async function openTables(t: Test, sql: string) {
  const url = await makeTables(t, sql);
  const database = new WatchedPages(url, () => {});
  t.teardown(() => database.close());
  return { url, database, store: await storeOf(database) };
}

t.test('the pages of a list grow to 1,600 plants, and each plant is read once', async (t) => {
  const { url, database, store } = await openTables(t, 'SELECT');
  await plantMany(url, 'owner', 10_000);
  for await (const _page of await store.list('owner'));
  const lengths = database.pages.map(({ length }) => length);
  t.strictSame(lengths.slice(0, 3), [400, 1_600, 1_600]);
  t.equal(
    lengths.reduce((sum, length) => sum + length, 100),
    10_000,
  );
});

t.test('if plants become larger, pages have fewer of them', async (t) => {
  const { database, store } = await openTables(
    t,
    insertPlants(
      `SELECT 'owner', id, CASE WHEN id <= 8500 THEN '.' ELSE repeat('x', 255) END, NULL
       FROM generate_series(1, 24100) AS id`,
    ),
  );
  let count = 0;
  for await (const page of await store.list('owner')) count += [page].flat().length;
  t.equal(count, 24_100);
  const [large, ...others] = database.pages.filter(({ characters }) => characters > 2 ** 17);
  t.ok(large, 'one page was asked for before the service knew');
  t.strictSame(others, []);
});

t.test('a list shows the plants of the moment when each page is read', async (t) => {
  const { url, store } = await openTables(t, 'SELECT');
  await plantMany(url, 'owner', 10_000);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const names: string[] = [];
  for await (const page of await store.list('owner')) {
    names.push(...[page].flat().map(({ name }) => name));
    if (names.length === 2_100) {
      await client.query('DELETE FROM plants WHERE id IN (5000, 7000)');
      await client.query(
        insertPlants("SELECT 'owner', 20000 + i, 'late ' || i, NULL FROM generate_series(1, 3) AS i"),
      );
    }
  }
  const numbers = Array.from({ length: 10_000 }, (_, index) => index + 1);
  t.strictSame(names, [
    ...numbers.filter((id) => id !== 5_000 && id !== 7_000).map((id) => `plant ${id}`),
    ...[1, 2, 3].map((id) => `late ${id}`),
  ]);
});

for (const { plants, set } of [
  { plants: 'plants without tags', set: 'tag = NULL' },
  { plants: 'empty tags and plants without', set: "tag = CASE WHEN id % 100 = 0 THEN '' END" },
  { plants: 'what JSON escapes', set: `name = id || U&'"\\005C\\001f\\000A\\2028\\+01F33F', tag = 'null'` },
]) {
  t.test(`a list of ${plants} is what the table has`, async (t) => {
    const { url, database, store } = await openTables(t, 'SELECT');
    await plantMany(url, 'owner', 5_000);
    await database.query({ text: `UPDATE plants SET ${set}` });
    const listed = [];
    for await (const page of await store.list('owner')) listed.push(...[page].flat());
    const { rows } = await database.query<{ name: string; tag: string | null }>({
      text: 'SELECT name, tag FROM plants ORDER BY id',
    });
    t.strictSame(
      listed,
      rows.map(({ name, tag }) => storedPlant(tag === null ? { name } : { name, tag })),
    );
  });
}
