import pg from 'pg';
import t from 'tap';
import { PlantNotFoundError } from '../src/plants/store.js';
import { OutcomeUnknownError } from '../src/postgres/database.js';
import { namesIn, replicasOf, whileItWaits } from './support/replicas.js';

/** Deletes that share a statement, some of which find nothing to delete. */

const ids = Array.from({ length: 10 }, (_, index) => BigInt(index + 1));

t.test("deletes of plants that are there are one statement; an absent one is its own delete's", async (t) => {
  const { database, store } = (await replicasOf(t))();
  await Promise.all(ids.map((id) => store.create('owner', { id, name: `plant ${id}` })));
  database.statements = [];
  await Promise.all(ids.slice(0, 5).map((id) => store.delete('owner', id)));
  t.match(database, { statements: { length: 1 }, failed: 0 });

  // The second is the neighbour's.
  await store.create('neighbour', { id: 11n, name: 'of the neighbour' });
  const outcomes = await Promise.allSettled([5n, 11n, 6n, 7n].map((id) => store.delete('owner', id)));
  t.match(outcomes, [
    { status: 'rejected', reason: PlantNotFoundError },
    { status: 'rejected', reason: PlantNotFoundError },
    { status: 'fulfilled' },
    { status: 'fulfilled' },
  ]);
  t.equal(database.failed, 1);
  t.strictSame(await namesIn(store, 'owner'), ['plant 8', 'plant 9', 'plant 10']);
  t.strictSame(await namesIn(store, 'neighbour'), ['of the neighbour']);
});

t.test('of equal keys in one statement, the first delete finds the plant', async (t) => {
  const { database, store } = (await replicasOf(t))();
  for (const id of [1n, 2n]) await store.create('owner', { id, name: 'x' });
  t.match(await Promise.allSettled([2n, 1n, 2n].map((id) => store.delete('owner', id))), [
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { status: 'rejected', reason: PlantNotFoundError },
  ]);
  t.equal(database.failed, 0);
});

t.test('who deletes again has few statements fail', async (t) => {
  const { database, store } = (await replicasOf(t))();
  for (let time = 1; time <= 102; time++) {
    const outcomes = await Promise.allSettled([1n, 2n].map((id) => store.delete('owner', id)));
    t.match(outcomes, Array(2).fill({ status: 'rejected', reason: PlantNotFoundError }));
  }
  t.equal(database.failed, 2);
});

t.test('a statement takes keys in their order, whatever that of the deletes', async (t) => {
  const { database, store } = (await replicasOf(t))();
  for (const wary of [false, true]) {
    for (const id of [1n, 2n, 3n]) await store.create('owner', { id, name: 'x' });
    if (wary) await Promise.allSettled([8n, 9n].map((id) => store.delete('owner', id)));
    t.equal(database.failed, wary ? 1 : 0);
    const lock = (...ids: number[]) => `SELECT FROM plants WHERE id IN (${ids}) ORDER BY id FOR UPDATE`;
    await whileItWaits(t, database.url, {
      hold: lock(1),
      begin: () => Promise.all([3n, 2n, 1n].map((id) => store.delete('owner', id))),
      // Had it locked one behind the first, this would wait.
      meanwhile: lock(2, 3),
    });
    t.strictSame(await namesIn(store, 'owner'), []);
  }
});

t.test('a plant that somebody changes meanwhile is deleted all the same', async (t) => {
  const { database, store } = (await replicasOf(t))();
  for (const wary of [false, true]) {
    for (const id of [1n, 2n, 3n]) await store.create('owner', { id, name: 'x' });
    if (wary) await Promise.allSettled([8n, 9n].map((id) => store.delete('owner', id)));
    await whileItWaits(t, database.url, {
      hold: "UPDATE plants SET name = 'y' WHERE id = 2",
      begin: () => Promise.all([3n, 2n, 1n].map((id) => store.delete('owner', id))),
      end: 'COMMIT',
    });
    t.strictSame(await namesIn(store, 'owner'), []);
    t.equal(database.failed, wary ? 1 : 0);
  }
});

for (const [table, fill] of [
  ['no plants', ''],
  ['few plants', `INSERT INTO plants SELECT 'owner', id, 'x' FROM generate_series(1, 10) AS id`],
  ['many plants', `INSERT INTO plants SELECT 'owner', id, 'x' FROM generate_series(1, 40000) AS id`],
] as const) {
  t.test(`PostgreSQL has no plan that takes them in another order: ${table}`, async (t) => {
    const { database, store } = (await replicasOf(t))();
    await database.query({ text: `${fill}; ANALYZE plants` });
    database.statements = [];
    await Promise.allSettled([1n, 2n].map((id) => store.delete('owner', id)));
    const [first] = database.statements;
    const client = new pg.Client(database.url);
    await client.connect();
    t.teardown(() => client.end());
    const joinOf = async (text: string) => {
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, [['owner'], [1]]);
      const [{ Plan: merge }] = rows[0]['QUERY PLAN'];
      const [join] = merge.Plans;
      return { type: `${join['Node Type']}, ${join['Join Type']}`, outer: join.Plans[0]['Node Type'] };
    };
    // It takes what costs more than anything else, if that is all there is.
    await client.query('SET enable_nestloop = off');
    const text = String(first?.text);
    t.match(text, 'MERGE');
    t.strictSame(await joinOf(text), { type: 'Nested Loop, Left', outer: 'Function Scan' });
    // And it would take others.
    const other = await joinOf(text.replaceAll(/ANY \(ARRAY\[(key\.\w+)\]\)/g, '$1'));
    t.notMatch(other.type, 'Nested Loop');
  });
}

t.test('of two replicas that delete the same plants at the same time, each hears what is true', async (t) => {
  const open = await replicasOf(t);
  let failed = 0;
  for (let round = 0; round < 5; round++) {
    // Replicas that have not met an absent plant.
    const replicas = [open(), open()] as const;
    await Promise.all(ids.map((id) => replicas[0].store.create('owner', { id, name: 'x' })));
    await replicas[1].store.list('owner');
    const outcomes = await Promise.all(
      replicas.map(({ store }, replica) =>
        // In opposite orders.
        Promise.allSettled((replica === 0 ? ids : ids.toReversed()).map((id) => store.delete('owner', id))),
      ),
    );
    const all = outcomes.flat();
    t.equal(all.filter(({ status }) => status === 'fulfilled').length, ids.length);
    t.match(
      all.filter(({ status }) => status === 'rejected'),
      ids.map(() => ({ reason: PlantNotFoundError })),
    );
    t.strictSame(await namesIn(replicas[0].store, 'owner'), []);
    for (const { database } of replicas) failed += database.failed;
  }
  // For absent plants: none ended a deadlock.
  t.equal(failed, 5);
});

t.test(
  'a plant that cannot be deleted either way fails its own delete, and the quick way stays',
  async (t) => {
    const { database, store } = (await replicasOf(t))();
    for (const id of ids) await store.create('owner', { id, name: `plant ${id}` });
    await database.query({
      text: `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'Not this one.'; END $$;
           CREATE TRIGGER fail BEFORE DELETE ON plants FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION fail()`,
    });
    t.match(await Promise.allSettled([1n, 2n, 3n].map((id) => store.delete('owner', id))), [
      { status: 'rejected', reason: { code: 'P0001' } },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ]);
    database.statements = [];
    await Promise.all([4n, 5n].map((id) => store.delete('owner', id)));
    t.match(database.statements, [{ text: /^MERGE/ }]);
  },
);

t.test('where a trigger keeps plants, and does not say which, no delete is said to be done', async (t) => {
  const { database, store } = (await replicasOf(t))();
  for (const id of [1n, 2n]) await store.create('owner', { id, name: `plant ${id}` });
  await database.query({
    text: `CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
           CREATE TRIGGER keep BEFORE DELETE ON plants FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION keep()`,
  });
  t.match(
    await Promise.allSettled([1n, 2n].map((id) => store.delete('owner', id))),
    Array(2).fill({ status: 'rejected', reason: OutcomeUnknownError }),
  );
  t.strictSame(await namesIn(store, 'owner'), ['plant 1']);
});
