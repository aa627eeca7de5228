import type { QueryResult, QueryResultRow } from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { OutcomeUnknownError } from '../../src/errors/database.js';
import { Database, type Statement } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { newPlant, storedPlant } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { namesIn } from '../support/replicas.js';
import { storeOf } from '../support/store.js';

/** Loses the answer of the first change, before or after its commit, and counts the statements after that. */
class Breaking extends Database {
  isRun = true;
  statementsSince = 0;
  #broke = false;

  override async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    if (this.#broke) this.statementsSince++;
    if (!statement.reads && !this.#broke) {
      this.#broke = true;
      if (this.isRun) await super.query<Row>(statement);
      throw new OutcomeUnknownError(new Error('connection lost'));
    }
    return super.query<Row>(statement);
  }
}

async function openBreaking(t: Test) {
  const url = await makeDatabase(t);
  await migrate(url, plantStore.migrationFolders);
  const before = new Database(url, () => {});
  const database = new Breaking(url, () => {});
  t.teardown(() => Promise.all([before.close(), database.close()]));
  return { before: await storeOf(before), database, store: await storeOf(database) };
}

const plant = newPlant({ id: 7n, name: 'x' });

for (const isRun of [true, false]) {
  const title = isRun ? 'was lost' : 'was lost with the statement';

  t.test(`a create whose answer ${title} is of unknown outcome, and can be sent again`, async (t) => {
    const { database, store } = await openBreaking(t);
    database.isRun = isRun;
    await t.rejects(store.create('o', plant), OutcomeUnknownError);
    t.equal(database.statementsSince, 0, 'nothing is sent after it');
    t.strictSame(await namesIn(store, 'o'), isRun ? ['x'] : []);
    t.same(await store.create('o', plant), storedPlant({ name: 'x' }));
    t.strictSame(await namesIn(store, 'o'), ['x']);
  });

  t.test(`an update whose answer ${title} is of unknown outcome, and can be sent again`, async (t) => {
    const { before, database, store } = await openBreaking(t);
    await before.create('o', newPlant({ id: 7n, name: 'old' }));
    database.isRun = isRun;
    await t.rejects(store.update('o', plant), OutcomeUnknownError);
    t.equal(database.statementsSince, 0, 'nothing is sent after it');
    t.strictSame(await namesIn(store, 'o'), [isRun ? 'x' : 'old']);
    t.same(await store.update('o', plant), storedPlant({ name: 'x' }));
  });
}
