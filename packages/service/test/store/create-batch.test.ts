import t from 'tap';
import { newPlant, storedPlant } from '../support/plants.js';
import { namesIn, replicasOf } from '../support/replicas.js';

/** Creates that share a statement; some of their keys are taken. */

t.test('a plant that PostgreSQL refuses fails only its own create', async (t) => {
  const { store } = await (await replicasOf(t))();
  const create = (id: bigint, name: string) => store.create('owner', newPlant({ id, name }));
  t.match(await Promise.allSettled([create(1n, '\u0000'), create(2n, 'x')]), [
    { status: 'rejected', reason: { code: '22021' } },
    { status: 'fulfilled' },
  ]);
});

t.test('a plant that a trigger suppresses is not reported as stored', async (t) => {
  const { database, store } = await (await replicasOf(t))();
  await database.query({
    text: `CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
           CREATE TRIGGER leave_out BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION leave_out()`,
  });
  for (const ids of [[1n], [2n, 3n]]) {
    const outcomes = await Promise.allSettled(
      ids.map((id) => store.create('owner', newPlant({ id, name: 'x' }))),
    );
    t.match(outcomes, Array(ids.length).fill({ reason: { name: 'ServiceUnavailableError' } }));
  }
});

for (const kind of ['alone', 'in a batch'] as const) {
  t.test(`a create ${kind} whose conflicting plant is deleted meanwhile is stored`, async (t) => {
    const open = await replicasOf(t);
    const [{ store, database }, other] = [await open(), await open()];
    await store.create('owner', newPlant({ id: 1n, name: 'in the way' }));
    const { query } = database;
    let deleted = false;
    // Another replica deletes the conflicting plant just before the store reads it.
    database.query = async (statement) => {
      if (statement.reads && !deleted) {
        deleted = true;
        await other.store.delete('owner', 1n);
      }
      return query.call(database, statement) as never;
    };
    const ids = kind === 'alone' ? [1n] : [1n, 2n];
    await Promise.all(ids.map((id) => store.create('owner', newPlant({ id, name: 'wanted' }))));
    t.ok(deleted);
    t.strictSame(
      await namesIn(store, 'owner'),
      ids.map(() => 'wanted'),
    );
  });
}

t.test('a created plant that is deleted at once stays deleted', async (t) => {
  const open = await replicasOf(t);
  const [{ store, database }, other] = [await open(), await open()];
  await store.create('owner', newPlant({ id: 1n, name: 'in the way' }));
  const { query } = database;
  // Another replica deletes the new plant 2 while the store reads what plant 1 conflicts with.
  database.query = async (statement) => {
    if (statement.reads) await other.store.delete('owner', 2n);
    return query.call(database, statement) as never;
  };
  const created = await Promise.all(
    [1n, 2n].map((id) => store.create('owner', newPlant({ id, name: 'wanted' }))),
  );
  t.same(created, ['conflict', storedPlant({ name: 'wanted' })]);
  database.query = query;
  t.strictSame(await namesIn(store, 'owner'), ['in the way'], 'its create and its delete were both done');
});

t.test('two replicas that create the same keys at the same time both get correct results', async (t) => {
  const open = await replicasOf(t);
  const replicas = [await open(), await open()] as const;
  for (let round = 0; round < 10; round++) {
    // As many as share one statement.
    const ids = Array.from({ length: 16 }, (_, index) => BigInt(100 * round + index));
    const owner = `owner ${round}`;
    const outcomes = await Promise.all(
      replicas.map(({ store }, replica) =>
        // The replicas use opposite orders.
        Promise.all(
          (replica === 0 ? ids : ids.toReversed()).map((id) =>
            store.create(owner, newPlant({ id, name: `of ${replica}` })),
          ),
        ),
      ),
    );
    const [ones = [], others = []] = outcomes.map((of) => of.map((plant) => plant !== 'conflict'));
    t.strictSame(
      await namesIn(replicas[0].store, owner),
      ones.map((stored) => (stored ? 'of 0' : 'of 1')),
    );
    t.strictSame(
      others.toReversed(),
      ones.map((stored) => !stored),
    );
  }
});
