import t from 'tap';
import { PlantConflictError } from '../src/plants/store.js';
import { namesIn, replicasOf, whileItWaits } from './support/replicas.js';

for (const likeCitus of [false, true]) {
  t.test(
    `creates of free keys are one statement; a taken key is its own create's${likeCitus ? ', whatever its SQLSTATE' : ''}`,
    async (t) => {
      const { database, store } = (await replicasOf(t))();
      database.likeCitus = likeCitus;
      const create = (id: number, name: string) => store.create('owner', { id: BigInt(id), name });
      const ids = Array.from({ length: 10 }, (_, index) => index + 1);
      await Promise.all(ids.map((id) => create(id, 'first')));
      t.match(database, { statements: { length: 1 }, failed: 0 });

      const more = ids.map((id) => id + 9);
      const outcomes = await Promise.allSettled(more.map((id) => create(id, 'second')));
      t.match(outcomes[0], { status: 'rejected', reason: PlantConflictError });
      t.strictSame(
        outcomes.slice(1).map(({ status }) => status),
        more.slice(1).map(() => 'fulfilled'),
      );
      t.equal(database.failed, 1);
      t.strictSame(await namesIn(store, 'owner'), [
        ...ids.map(() => 'first'),
        ...more.slice(1).map(() => 'second'),
      ]);
    },
  );
}

t.test('of equal keys in one statement, the first gets it', async (t) => {
  const { database, store } = (await replicasOf(t))();
  const create = (id: bigint, name: string) => store.create('owner', { id, name });
  t.match(await Promise.allSettled([create(1n, 'a'), create(1n, 'b'), create(2n, 'c'), create(1n, 'a')]), [
    { status: 'fulfilled' },
    { status: 'rejected', reason: PlantConflictError },
    { status: 'fulfilled' },
    { status: 'fulfilled' },
  ]);
  t.strictSame(await namesIn(store, 'owner'), ['a', 'c']);
  t.equal(database.failed, 0);
});

t.test('a plant that cannot be stored either way is refused, and the quick way stays', async (t) => {
  const { database, store } = (await replicasOf(t))();
  await t.rejects(store.create('owner', { id: 1n, name: '\u0000' }), { code: '22021' });
  await store.create('owner', { id: 1n, name: 'x' });
  await store.create('owner', { id: 1n, name: 'x' });
  t.equal(database.failed, 1);
});

t.test('a plant that a trigger leaves out is not said to be stored', async (t) => {
  const { database, store } = (await replicasOf(t))();
  await database.query({
    text: `CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
           CREATE TRIGGER leave_out BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION leave_out()`,
  });
  await t.rejects(store.create('owner', { id: 1n, name: 'x' }));
});

t.test('who sends plants again has few statements fail', async (t) => {
  const { database, store } = (await replicasOf(t))();
  const create = () => store.create('owner', { id: 1n, name: 'the same' });
  await create();
  for (let time = 1; time <= 200; time++) await create();
  t.equal(database.failed, 2);
});

t.test('a statement takes keys in their order, whatever that of the creates', async (t) => {
  const { database, store } = (await replicasOf(t))();
  const { url } = database;
  for (const wary of [false, true]) {
    if (wary) {
      await store.create('owner', { id: 0n, name: 'x' });
      await store.create('owner', { id: 0n, name: 'x' });
    }
    const insert = (...ids: number[]) =>
      `INSERT INTO plants (owner, id, name) SELECT 'owner', unnest(ARRAY[${ids}]), 'of another'`;
    await whileItWaits(t, url, {
      hold: insert(1),
      begin: () => Promise.all([3n, 2n, 1n].map((id) => store.create('owner', { id, name: 'x' }))),
      // Had it taken a key behind the first, this would wait.
      meanwhile: insert(2, 3),
    });
    for (const id of [1n, 2n, 3n]) await store.delete('owner', id);
  }
});

t.test('of two replicas that store the same keys at the same time, each hears what is true', async (t) => {
  const open = await replicasOf(t);
  let failed = 0;
  for (let round = 0; round < 5; round++) {
    // As many as share one statement, and replicas that have not met a taken key.
    const ids = Array.from({ length: 16 }, (_, index) => BigInt(100 * round + index));
    const replicas = [open(), open()] as const;
    // Whose connections are open.
    await Promise.all(replicas.map(({ store }) => store.list(`owner ${round}`)));
    const outcomes = await Promise.all(
      replicas.map(({ store }, replica) =>
        // In opposite orders.
        Promise.allSettled(
          (replica === 0 ? ids : ids.toReversed()).map((id) =>
            store.create(`owner ${round}`, { id, name: `of ${replica}` }),
          ),
        ),
      ),
    );
    const [ones = [], others = []] = outcomes.map((of) => of.map(({ status }) => status === 'fulfilled'));
    t.strictSame(
      await namesIn(replicas[0].store, `owner ${round}`),
      ones.map((stored) => (stored ? 'of 0' : 'of 1')),
    );
    t.strictSame(
      others.toReversed(),
      ones.map((stored) => !stored),
    );
    t.match(
      outcomes.flat().filter(({ status }) => status === 'rejected'),
      ids.map(() => ({ reason: PlantConflictError })),
    );
    for (const { database } of replicas) failed += database.failed;
  }
  t.equal(failed, 5);
});
