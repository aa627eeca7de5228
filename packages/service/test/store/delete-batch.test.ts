import t from 'tap';
import { RefusedStatementError } from '../../src/errors/database.js';
import { newPlant } from '../support/plants.js';
import { namesIn, replicasOf, whileItWaits } from '../support/replicas.js';

/** Deletes that share a statement; some of their plants do not exist. */

const ids = Array.from({ length: 10 }, (_, index) => BigInt(index + 1));

t.test(
  'deletes in one event loop tick share one statement, and an absent plant affects only its own delete',
  async (t) => {
    const { database, store } = await (await replicasOf(t))();
    await Promise.all(ids.map((id) => store.create('owner', newPlant({ id, name: `plant ${id}` }))));
    await store.create('neighbour', newPlant({ id: 11n, name: 'of the neighbour' }));
    database.statements = [];
    const deleted = await Promise.all([5n, 11n, 6n, 7n].map((id) => store.delete('owner', id)));
    t.strictSame(deleted, ['deleted', 'absent', 'deleted', 'deleted']);
    t.equal(database.statements.length, 1);
    t.strictSame(
      await namesIn(store, 'owner'),
      [1, 2, 3, 4, 8, 9, 10].map((id) => `plant ${id}`),
    );
    t.strictSame(await namesIn(store, 'neighbour'), ['of the neighbour']);
  },
);

t.test('a plant that another transaction updates meanwhile is deleted all the same', async (t) => {
  const { database, store } = await (await replicasOf(t))();
  for (const id of [1n, 2n, 3n]) await store.create('owner', newPlant({ id, name: 'x' }));
  await whileItWaits(t, database.url, {
    hold: "UPDATE plants SET name = 'y' WHERE id = 2",
    begin: () => Promise.all([3n, 2n, 1n].map((id) => store.delete('owner', id))),
    end: 'COMMIT',
  });
  t.strictSame(await namesIn(store, 'owner'), []);
});

t.test('deletes that PostgreSQL refuses are not repeated', async (t) => {
  const { database, store } = await (await replicasOf(t))();
  await database.query({ text: 'ALTER TABLE plants RENAME TO others' });
  database.statements = [];
  for (const deleted of await Promise.allSettled([1n, 2n].map((id) => store.delete('owner', id))))
    t.match(deleted, { reason: RefusedStatementError });
  t.equal(database.statements.length, 1);
});

t.test('two replicas that delete the same plants at the same time both get correct results', async (t) => {
  const open = await replicasOf(t);
  const replicas = [await open(), await open()] as const;
  for (let round = 0; round < 10; round++) {
    await Promise.all(ids.map((id) => replicas[0].store.create('owner', newPlant({ id, name: 'x' }))));
    const outcomes = await Promise.all(
      replicas.map(({ store }, replica) =>
        // The replicas use opposite orders.
        Promise.all((replica === 0 ? ids : ids.toReversed()).map((id) => store.delete('owner', id))),
      ),
    );
    t.strictSame(
      outcomes[1]?.toReversed(),
      outcomes[0]?.map((outcome) => (outcome === 'deleted' ? 'absent' : 'deleted')),
    );
    t.strictSame(await namesIn(replicas[0].store, 'owner'), []);
  }
});

t.test('a plant that cannot be deleted fails only its own delete', async (t) => {
  const { database, store } = await (await replicasOf(t))();
  for (const id of ids) await store.create('owner', newPlant({ id, name: `plant ${id}` }));
  await database.query({
    text: `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'Not this one.'; END $$;
           CREATE TRIGGER fail BEFORE DELETE ON plants FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION fail()`,
  });
  t.match(await Promise.allSettled([1n, 2n, 3n].map((id) => store.delete('owner', id))), [
    { status: 'rejected', reason: { code: 'P0001' } },
    { status: 'fulfilled' },
    { status: 'fulfilled' },
  ]);
});
