import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { until } from '../../../kit/testing.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { insertPlants } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { storeOf } from '../support/store.js';

const plants = 40_000;

/** States of the table that mislead the planner, and the SQL that makes them. */
const circumstances = {
  'that was never analysed': insertPlants(`SELECT 'owner', id, 'x' FROM generate_series(1, ${plants}) AS id`),
  'that has grown since it was analysed': `
    ${insertPlants("SELECT 'owner', id, 'x' FROM generate_series(1, 500) AS id")};
    ${insertPlants(
      "SELECT 'owner ' || owner, id, 'x' FROM generate_series(1, 60) AS owner, generate_series(1, 500) AS id",
    )};
    ANALYZE plants;
    ${insertPlants(`SELECT 'owner', id, 'x' FROM generate_series(501, ${plants}) AS id`)}`,
  'that is larger than the cache': `
    ${insertPlants(
      `SELECT CASE WHEN id <= ${plants} THEN 'owner' ELSE 'other' END, id, 'x'
       FROM generate_series(1, 2 * ${plants}) AS id ORDER BY random()`,
    )};
    ANALYZE plants`,
};

/** Makes a database with plants. */
async function tableOf(t: Test, sql: string): Promise<{ url: string; client: pg.Client }> {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  // Autovacuum would analyse the table if the test takes long.
  await client.query(`ALTER TABLE plants SET (autovacuum_enabled = off); ${sql}`);
  // A cache of one page: each table is larger.
  await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET effective_cache_size = 1`);
  return { url, client };
}

/** The number of plant rows that all other connections read, once they are closed. */
async function rowsRead(client: pg.Client): Promise<number> {
  // A connection reports its counts before it disappears.
  await until('this is the only connection', async () => {
    const others = await client.query(
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return others.rowCount === 0;
  });
  const { rows } = await client.query<{ read: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_user_tables WHERE relname = 'plants'`,
  );
  return rows[0]?.read ?? Number.NaN;
}

for (const [which, sql] of Object.entries(circumstances)) {
  t.test(`a whole list of a table ${which} reads each plant once`, async (t) => {
    const { url, client } = await tableOf(t, sql);
    const database = new Database(url, () => {});
    let count = 0;
    for await (const page of await (await storeOf(database)).list('owner')) count += [page].flat().length;
    t.equal(count, plants);
    await database.close();
    t.equal(await rowsRead(client), plants);
  });

  for (const count of [1, 2]) {
    t.test(`lists with a limit read a page each of a table ${which}, lists: ${count}`, async (t) => {
      const { url, client } = await tableOf(t, sql);
      const database = new Database(url, () => {});
      const store = await storeOf(database);
      const lists = await Promise.all(
        Array.from({ length: count }, () => store.list('owner', { limit: 20 })),
      );
      t.ok(lists.every((list) => Array.isArray(list) && list.length === 20));
      await database.close();
      t.ok((await rowsRead(client)) <= count * 100);
    });
  }
}
