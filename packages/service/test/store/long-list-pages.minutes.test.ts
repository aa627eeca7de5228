import pg from 'pg';
import t from 'tap';
import { Database, type Statement } from '../../src/postgres/database.js';
import { plantMany } from '../support/many-plants.js';
import { insertPlants, optionalTexts, storedPlant } from '../support/plants.js';
import { openDatabase } from '../support/postgres/database.js';
import { startService } from '../support/service.js';
import { storeOf } from '../support/store.js';

t.test(
  'a page that must be read again shows the plants of that moment, and the list continues after it',
  async (t) => {
    const { databaseUrl } = await startService(t);
    await plantMany(databaseUrl, 'owner', 10_000);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    t.teardown(() => client.end());
    // One statement reads plants 2,101 to 8,500 in four pages; the separator makes the second one ambiguous.
    const separated = 'plant\u001f4500';
    await client.query(`UPDATE plants SET name = $1 WHERE id = 4500`, [separated]);
    const database = openDatabase(t, databaseUrl);
    const names: string[] = [];
    for await (const page of await (await storeOf(database)).list('owner')) {
      names.push(...[page].flat().map(({ name }) => name));
      if (names.length === 3_700) await client.query(`DELETE FROM plants WHERE id IN (4300, 7000)`);
    }
    const numbers = Array.from({ length: 10_000 }, (_, index) => index + 1);
    t.strictSame(
      names,
      numbers
        // Plant 7,000 was read before, on a page of the same statement.
        .filter((id) => id !== 4_300)
        .map((id) => (id === 4_500 ? separated : `plant ${id}`)),
    );
  },
);

/** Counts the pages and plants that the statements of long lists return. */
class CountedPages extends Database {
  /** The number of pages of each statement. */
  pages: number[] = [];
  plants = 0;

  override async query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
    const result = await super.query<Row>(statement);
    if (statement.text.includes('RECURSIVE')) {
      this.pages.push(result.rows.length);
      for (const { length } of result.rows) this.plants += length;
    }
    return result;
  }
}

for (const { plants, name = 'name', text } of [
  { plants: 'plants without texts', text: 'NULL' },
  { plants: 'empty texts', text: "''" },
  { plants: 'empty texts and plants without', text: "CASE WHEN id % 100 = 0 THEN '' END" },
  // These pages are ambiguous, so they are read again as rows.
  { plants: 'a separator in each page', name: 'repeat(chr(31), (id % 100 = 0)::int)' },
  { plants: 'a text in each page that stands for none', text: 'repeat(chr(30), (id % 100 = 0)::int)' },
]) {
  t.test(`a list of ${plants} is what the table has`, async (t) => {
    const { databaseUrl } = await startService(t);
    await plantMany(databaseUrl, 'owner', 20_000);
    const database = new CountedPages(databaseUrl, () => {});
    t.teardown(() => database.close());
    const texts = text === undefined ? [] : optionalTexts.map((member) => `, "${member}" = ${text}`);
    await database.query({ text: `UPDATE plants SET name = ${name}${texts.join('')}` });
    const listed = [];
    for await (const page of await (await storeOf(database)).list('owner')) listed.push(...[page].flat());
    const { rows } = await database.query<Record<string, string | null>>({
      text: `SELECT ${['name', ...optionalTexts].map((member) => `"${member}"`).join(', ')} FROM plants ORDER BY id`,
    });
    t.strictSame(
      listed,
      rows.map((row) =>
        storedPlant(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))),
      ),
    );
    t.ok(database.plants <= 20_000, `${database.plants} plants`);
  });
}

t.test('a limit is kept although a plant is created before a page is read again', async (t) => {
  const { databaseUrl } = await startService(t);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  t.teardown(() => client.end());
  await client.query(
    insertPlants(
      `SELECT 'owner', 2 * i, CASE i WHEN 600 THEN chr(31) ELSE 'plant ' || i END
       FROM generate_series(1, 5000) AS i`,
    ),
  );
  let late = 0;
  class Late extends Database {
    override async query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>> {
      // Only the statement that reads a page again asks for rows without being prepared.
      if (statement.rowMode === 'array' && statement.name === undefined) {
        late++;
        await client.query(insertPlants("VALUES ('owner', 1201, 'late')"));
      }
      return super.query(statement);
    }
  }
  const database = new Late(databaseUrl, () => {});
  t.teardown(() => database.close());
  const names: string[] = [];
  for await (const page of await (await storeOf(database)).list('owner', { limit: 3_000 }))
    names.push(...[page].flat().map(({ name }) => name));
  t.equal(late, 1);
  t.equal(names[600], 'late');
  t.equal(names.length, 3_000);
  t.equal(names.at(-1), 'plant 2999');
});

t.test('after a page much larger than expected, its statement reads no further page', async (t) => {
  const { databaseUrl } = await startService(t);
  const database = new CountedPages(databaseUrl, () => {});
  t.teardown(() => database.close());
  await database.query({
    text: insertPlants(
      `SELECT 'owner', id, CASE WHEN id <= 8500 THEN '.' ELSE repeat('x', 255) END
       FROM generate_series(1, 24100) AS id`,
    ),
  });
  let count = 0;
  for await (const page of await (await storeOf(database)).list('owner')) count += [page].flat().length;
  t.equal(count, 24_100);
  // Pages of 400 and 1,600, four of 1,600 in one statement, one of large plants, then smaller ones.
  t.strictSame(database.pages.slice(0, 4), [1, 1, 4, 1]);
  t.equal(Math.max(...database.pages), 8);
});

t.test('up to eight pages share a statement, fewer if more lists are read', async (t) => {
  const { databaseUrl } = await startService(t);
  await plantMany(databaseUrl, 'owner', 30_000);
  const database = new CountedPages(databaseUrl, () => {});
  t.teardown(() => database.close());
  const store = await storeOf(database);
  const read = async () => {
    database.pages = [];
    for await (const _page of await store.list('owner'));
    return Math.max(...database.pages);
  };
  t.equal(await read(), 8);
  const others = await Promise.all(
    Array.from({ length: 7 }, async () => {
      const list = await store.list('owner');
      if (Array.isArray(list)) throw new Error('It is no long list.');
      const pages = list[Symbol.asyncIterator]();
      await pages.next();
      return pages;
    }),
  );
  t.equal(await read(), 1);
  for (const pages of others.splice(1)) await pages.return?.();
  t.equal(await read(), 4);
  await others[0]?.return?.();
  t.equal(await read(), 8);
});
