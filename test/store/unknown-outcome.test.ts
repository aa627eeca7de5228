import type { QueryResult, QueryResultRow } from 'pg';
import t, { type Test } from 'tap';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../../src/errors/database.js';
import { plantParts } from '../../src/parts.js';
import { Database, type Statement } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { makeDatabase } from '../support/postgres/database.js';
import { endOf } from '../support/programs/end-of.js';
import { until } from '../support/programs/process.js';
import { insertPlants, newPlant, storedPlant } from '../support/service/plants.js';
import { namesIn } from '../support/service/replicas.js';
import { storeOf } from '../support/service/store.js';

/** Loses the answer of the first create or update, before or after its commit, and then fails to look it up so many times. */
class Breaking extends Database {
  breaks = 'create a row of plants';
  isRun = true;
  failures = 0;
  failure: Error = new DatabaseUnavailableError('no connection');
  isSilent = false;
  #broke = false;

  override async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    if (statement.name === this.breaks && !this.#broke) {
      this.#broke = true;
      if (this.isRun) await super.query<Row>(statement);
      throw new OutcomeUnknownError(new Error('connection lost'));
    }
    if (statement.reads && this.isSilent) await new Promise(() => {});
    if (statement.reads && this.failures-- > 0) throw this.failure;
    return super.query<Row>(statement);
  }
}

async function openBreaking(t: Test) {
  const url = await makeDatabase(t);
  await migrate(url, plantParts.migrationFolders);
  // On a busy machine, connections take long to open.
  const database = new Breaking(url, () => {}, { connect: 60_000 });
  t.teardown(() => database.close());
  return { database, store: await storeOf(database) };
}

const plant = newPlant({ id: 7n, name: 'x' });

// Some wait until the store has given up, so they wait together.
t.jobs = 7;
const together = { buffered: true };

t.test('a create whose answer was lost is found, once the database answers again', together, async (t) => {
  const { database, store } = await openBreaking(t);
  database.failures = 3;
  t.same(await store.create('o', plant), storedPlant({ name: 'x' }));
});

t.test(
  'a create whose answer was lost does not come back after its plant was deleted',
  together,
  async (t) => {
    const { database, store } = await openBreaking(t);
    database.failures = Number.POSITIVE_INFINITY;
    const created = t.rejects(store.create('o', plant), OutcomeUnknownError);
    const hasEnded = endOf(created);
    await until('it is deleted', async () => hasEnded() || (await store.delete('o', 7n)) === 'deleted');
    database.failures = 0;
    await created;
    t.strictSame(await namesIn(store, 'o'), []);
  },
);

t.test(
  'a create that never reached the database is of unknown outcome, and can be sent again',
  together,
  async (t) => {
    const { database, store } = await openBreaking(t);
    database.isRun = false;
    await t.rejects(store.create('o', plant), OutcomeUnknownError);
    t.same(await store.create('o', plant), storedPlant({ name: 'x' }));
  },
);

t.test(
  'a create whose answer was lost is of unknown outcome if the id has other content now',
  together,
  async (t) => {
    const { database, store } = await openBreaking(t);
    await database.query({ text: insertPlants("VALUES ('o', 7, 'other')") });
    database.isRun = false;
    await t.rejects(store.create('o', plant), OutcomeUnknownError);
  },
);

t.test('a create stays of unknown outcome if the database does not come back', together, async (t) => {
  const { database, store } = await openBreaking(t);
  database.failures = Number.POSITIVE_INFINITY;
  await t.rejects(store.create('o', plant), OutcomeUnknownError);
});

t.test('a create stays of unknown outcome if the database has become silent', together, async (t) => {
  const { database, store } = await openBreaking(t);
  database.isSilent = true;
  await t.rejects(store.create('o', plant), OutcomeUnknownError);
});

t.test('a failure to look that is no outage is passed on', together, async (t) => {
  const { database, store } = await openBreaking(t);
  database.failures = 1;
  database.failure = new RangeError('broken row');
  await t.rejects(store.create('o', plant), RangeError);
});

t.test('an update whose answer was lost is found, once the database answers again', async (t) => {
  const { database, store } = await openBreaking(t);
  database.breaks = 'update a row of plants';
  await store.create('o', newPlant({ id: 7n, name: 'old' }));
  database.failures = 3;
  t.same(await store.update('o', plant), storedPlant({ name: 'x' }));
});

t.test(
  'an update that never reached the database is of unknown outcome, and can be sent again',
  async (t) => {
    const { database, store } = await openBreaking(t);
    database.breaks = 'update a row of plants';
    await store.create('o', newPlant({ id: 7n, name: 'old' }));
    database.isRun = false;
    await t.rejects(store.update('o', plant), OutcomeUnknownError);
    t.same(await store.update('o', plant), storedPlant({ name: 'x' }));
  },
);
