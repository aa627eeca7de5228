import pg, { type QueryResult, type QueryResultRow } from 'pg';
import t, { type Test } from 'tap';
import { PlantConflictError, PlantStore } from '../src/plants/store.js';
import { Database, type Statement } from '../src/postgres/database.js';
import { migrate } from '../src/postgres/migrations.js';
import { migrationFolders } from '../src/project.js';
import { makeDatabase } from './support/database.js';
import { until } from './support/process.js';

/** Counts its statements, and those that failed because a key was taken. */
class CountingDatabase extends Database {
  statements = 0;
  failed = 0;
  /** Whether it says it as Citus does of another node: without the SQLSTATE. */
  likeCitus = false;

  readonly url: string;

  constructor(url: string) {
    super(url, () => {});
    this.url = url;
  }

  override async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    this.statements++;
    try {
      return await super.query(statement);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === '23505')) throw error;
      this.failed++;
      throw this.likeCitus ? Object.assign(new Error(error.message), { code: 'XX000' }) : error;
    }
  }
}

/** Opens stores of one database, each with connections of its own, as replicas have. */
async function replicasOf(t: Test) {
  const url = await makeDatabase(t);
  await migrate(url, migrationFolders);
  return () => {
    const database = new CountingDatabase(url);
    t.teardown(() => database.close());
    return { database, store: new PlantStore(database) };
  };
}

async function namesIn(store: PlantStore, owner: string): Promise<string[]> {
  const names = [];
  for await (const page of await store.list(owner)) names.push(...[page].flat().map(({ name }) => name));
  return names;
}

for (const likeCitus of [false, true]) {
  t.test(
    `creates of free keys are one statement; a taken key is its own create's${likeCitus ? ', whatever its SQLSTATE' : ''}`,
    async (t) => {
      const { database, store } = (await replicasOf(t))();
      database.likeCitus = likeCitus;
      const create = (id: number, name: string) => store.create('owner', { id: BigInt(id), name });
      const ids = Array.from({ length: 10 }, (_, index) => index + 1);
      await Promise.all(ids.map((id) => create(id, 'first')));
      t.match(database, { statements: 1, failed: 0 });

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
  for (let time = 1; time <= 202; time++) await create();
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
    const [holder, other] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([holder.connect(), other.connect()]);
    t.teardown(() => Promise.all([holder.end(), other.end()]));
    const insert = "INSERT INTO plants (owner, id, name) VALUES ('owner', $1, 'of another')";
    await holder.query('BEGIN');
    await holder.query(insert, [1]);
    const created = Promise.all([3n, 2n, 1n].map((id) => store.create('owner', { id, name: 'x' })));
    await until('the statement waits for the first key', async () => {
      const { rowCount } = await other.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      return rowCount === 1;
    });
    // Had it taken one behind that one, this would wait.
    await other.query("BEGIN; SET LOCAL lock_timeout = '1s'");
    for (const id of [2, 3]) await other.query(insert, [id]);
    await other.query('ROLLBACK');
    await holder.query('ROLLBACK');
    await created;
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
