import pg from 'pg';
import t, { type Test } from 'tap';
import { until } from '../../../kit/testing.js';
import { Database, type Statement } from '../../src/postgres/database.js';
import { newPlant } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { replicasOf } from '../support/replicas.js';

/**
 * PostgreSQL keeps the plan of a prepared statement, also if the table was small at that time. So no plan may
 * read more of the table than the plants that the statement needs.
 */

/** Two for creates, two for updates, two for deletes, one for finds and one for lists. */
const prepared = 8;

async function statementsOf(t: Test) {
  const { database, store } = await (await replicasOf(t))();
  await store.create('owner', newPlant({ id: 1n, name: 'x' }));
  await Promise.all([2n, 3n].map((id) => store.create('owner', newPlant({ id, name: 'x' }))));
  await Promise.all([1n, 2n].map((id) => store.find('owner', id)));
  const update = (id: bigint) => store.update('owner', newPlant({ id, name: 'y' }));
  await update(1n);
  await Promise.all([2n, 3n].map(update));
  await store.delete('owner', 1n);
  await Promise.all([2n, 3n].map((id) => store.delete('owner', id)));
  await Promise.all([20, 30].map((limit) => store.list('owner', { limit })));
  const client = new pg.Client(database.url);
  await client.connect();
  t.teardown(() => client.end());
  await store.create('owner', newPlant({ id: 4n, name: 'x' }));
  await client.query('BEGIN; SELECT FROM plants FOR UPDATE');
  const changes = [4n, 5n].map((id) => Promise.all([update(id), store.delete('owner', id)]));
  await changes[1];
  await client.query('ROLLBACK');
  await changes[0];
  return { client, statements: database.statements };
}

/** The nodes of a plan, from the top down. */
function nodesOf(plan: Record<string, unknown>): Record<string, unknown>[] {
  const inner = Array.isArray(plan['Plans']) ? plan['Plans'] : [];
  return [plan, ...inner.flatMap(nodesOf)];
}

/** The generic plan that PostgreSQL would keep. */
async function keptPlan(client: pg.Client, { text, values = [] }: Statement) {
  await client.query(`PREPARE kept AS ${text}`);
  const { rows } = await client.query(
    `EXPLAIN (FORMAT JSON) EXECUTE kept(${values.map(() => 'NULL').join(', ')})`,
  );
  await client.query('DEALLOCATE kept');
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}

t.test('statements that were planned for an empty table read plants by primary key', async (t) => {
  const { client, statements } = await statementsOf(t);
  await client.query('SET plan_cache_mode = force_generic_plan; TRUNCATE plants CASCADE');
  for (const statement of statements) {
    for (const node of await keptPlan(client, statement)) {
      if (node['Relation Name'] !== 'plants' || node['Node Type'] === 'ModifyTable') continue;
      t.match(node, { 'Node Type': /^Index/, 'Index Name': 'plants_pkey' }, String(statement.name));
      t.notOk('Filter' in node, 'and reads no other plant');
    }
  }
  t.strictSame(new Set(statements.map(({ name }) => name)).size, prepared);
});

t.test('PostgreSQL keeps the plans of small batches, too', async (t) => {
  const { client, statements } = await statementsOf(t);
  for (const { name, text, values = [] } of statements) {
    for (let times = 0; times < 7; times++)
      await client.query({ name: String(name), text, values: [...values] });
  }
  // PostgreSQL makes the first five plans for their values, to compare their costs (documentation, PREPARE).
  const { rows } = await client.query('SELECT name, custom_plans::int AS plans FROM pg_prepared_statements');
  t.equal(rows.length, prepared);
  for (const { name, plans } of rows) t.equal(plans, 5, name);
});

t.test('connections are replaced in time, and cached plans of a tiny table with them', async (t) => {
  const database = new Database(await makeDatabase(t), () => {}, { use: 200 });
  t.teardown(() => database.close());
  const connection = async () => {
    const { rows } = await database.query({ name: 'who', text: 'SELECT pg_backend_pid() AS pid' });
    return rows[0]?.['pid'];
  };
  const first = await connection();
  await until('another connection is used', async () => (await connection()) !== first);
});
