import pg from 'pg';
import t, { type Test } from 'tap';
import { untilLocked } from '../../../kit/postgres.js';
import { RolledBackError } from '../../src/errors/database.js';
import { newPlant, storedPlant, withTexts } from '../support/plants.js';
import { shortLimitMs } from '../support/postgres/database.js';
import { namesIn, replicasOf } from '../support/replicas.js';
import { openStore } from '../support/store.js';

/** Updates that share a statement; some of their plants do not exist. */

const ids = Array.from({ length: 10 }, (_, index) => BigInt(index + 1));

t.test(
  'updates in one event loop tick share one statement, and an absent plant affects only its own update',
  async (t) => {
    const { database, store } = await (await replicasOf(t))();
    await Promise.all(
      ids.map((id) => store.create('owner', newPlant({ id, name: 'old', ...withTexts('old') }))),
    );
    await store.create('neighbour', newPlant({ id: 11n, name: 'of the neighbour' }));
    database.statements = [];
    const update = (id: bigint) => store.update('owner', newPlant({ id, name: `new ${id}` }));
    t.same(await Promise.all([5n, 11n, 6n].map(update)), [
      storedPlant({ name: 'new 5' }),
      'absent',
      storedPlant({ name: 'new 6' }),
    ]);
    t.equal(database.statements.length, 1);
    t.same(
      await store.find('owner', 5n),
      storedPlant({ name: 'new 5' }),
      'a member that is absent now is gone',
    );
    t.same(await store.find('owner', 4n), storedPlant({ name: 'old', ...withTexts('old') }));
    t.strictSame(await namesIn(store, 'neighbour'), ['of the neighbour']);
  },
);

t.test('a lone update replaces its plant, or says that there is none', async (t) => {
  const { store } = await (await replicasOf(t))();
  await store.create('owner', newPlant({ id: 1n, name: 'old', ...withTexts('old') }));
  t.same(await store.update('owner', newPlant({ id: 1n, name: 'new' })), storedPlant({ name: 'new' }));
  t.same(await store.find('owner', 1n), storedPlant({ name: 'new' }));
  t.equal(await store.update('owner', newPlant({ id: 2n, name: 'new' })), 'absent');
  t.equal(await store.update('other', newPlant({ id: 1n, name: 'new' })), 'absent');
  t.equal(await store.find('owner', 2n), undefined);
});

/** Another transaction locks a row of the owner `a`. */
async function lockRow(t: Test, url: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query("BEGIN; SELECT FROM plants WHERE owner = 'a' AND id = 1 FOR UPDATE");
  return holder;
}

t.test('updates that share a statement with one of a locked row do not wait for it', async (t) => {
  const { url, store } = await openStore(t, 600_000);
  const keys = ['a', 'b'].flatMap((owner) => [1n, 2n, 3n].map((id) => ({ owner, id })));
  for (const { owner, id } of keys) await store.create(owner, newPlant({ id, name: 'x' }));
  const holder = await lockRow(t, url);
  const [locked, ...others] = [...keys, { owner: 'b', id: 9n }].map(({ owner, id }) =>
    store.update(owner, newPlant({ id, name: `${owner} ${id}` })),
  );
  t.same(await Promise.all(others), [
    ...['a 2', 'a 3', 'b 1', 'b 2', 'b 3'].map((name) => storedPlant({ name })),
    'absent',
  ]);
  await untilLocked(url, 1, locked);
  await holder.query('ROLLBACK');
  t.match(await locked, { name: 'a 1' }, 'done once its row is free');
  t.strictSame(await namesIn(store, 'a'), ['a 1', 'a 2', 'a 3']);
});

t.test('an update that waits for a locked row too long is cancelled', async (t) => {
  const { url, store } = await openStore(t, shortLimitMs);
  await store.create('a', newPlant({ id: 1n, name: 'x' }));
  const holder = await lockRow(t, url);
  await t.rejects(store.update('a', newPlant({ id: 1n, name: 'y' })), RolledBackError);
  await holder.query('ROLLBACK');
  t.strictSame(await namesIn(store, 'a'), ['x'], 'what was answered as not done is not done later');
});

t.test('two replicas that update the same plants at the same time do not deadlock', async (t) => {
  const open = await replicasOf(t);
  const replicas = [await open(), await open()] as const;
  await Promise.all(ids.map((id) => replicas[0].store.create('owner', newPlant({ id, name: 'x' }))));
  for (let round = 0; round < 10; round++) {
    const outcomes = await Promise.all(
      replicas.flatMap(({ store }, replica) =>
        // The replicas use opposite orders.
        (replica === 0 ? ids : ids.toReversed()).map((id) =>
          store.update('owner', newPlant({ id, name: `of ${replica}` })),
        ),
      ),
    );
    t.ok(outcomes.every((outcome) => outcome !== 'absent'));
    t.ok((await namesIn(replicas[0].store, 'owner')).every((name) => /^of [01]$/.test(name)));
  }
});

t.test('updates that share a statement with one whose parent row is locked do not wait for it', async (t) => {
  const { database, store } = await (await replicasOf(t))();
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query(
    "CREATE TABLE names (name text PRIMARY KEY); INSERT INTO names VALUES ('old'), ('locked'), ('free')",
  );
  await holder.query('ALTER TABLE plants ADD FOREIGN KEY (name) REFERENCES names');
  for (const id of [1n, 2n, 3n]) await store.create('owner', newPlant({ id, name: 'old' }));
  await holder.query("BEGIN; SELECT FROM names WHERE name = 'locked' FOR UPDATE");
  const [locked, ...others] = ['locked', 'free', 'free'].map((name, at) =>
    store.update('owner', newPlant({ id: BigInt(at + 1), name })),
  );
  t.same(await Promise.all(others), Array(2).fill(storedPlant({ name: 'free' })));
  await untilLocked(database.url, 1, locked);
  await holder.query('ROLLBACK');
  t.same(await locked, storedPlant({ name: 'locked' }));
});
