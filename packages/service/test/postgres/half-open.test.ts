/** A network that is half open takes what is sent, and brings nothing back. The time limits must not add up there. */
import type { QueryResult, QueryResultRow } from 'pg';
import t from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { startDatabaseProxy } from '../../../kit/index.js';
import { waitingStatement } from '../../../kit/postgres.js';
import { until } from '../../../kit/testing.js';
import { NotSentError, OutcomeUnknownError } from '../../src/errors/database.js';
import { Database, type Statement } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { newPlant } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { storeOf } from '../support/store.js';

t.test(
  'a create takes as long as its statement, because nobody asks for its outcome after that',
  async (t) => {
    const { proxy, url } = await startDatabaseProxy(t, await makeDatabase(t));
    await migrate(url, plantStore.migrationFolders);
    let asked = 0;
    class Counting extends Database {
      override query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
        asked++;
        return super.query<Row>(statement);
      }
    }
    const database = new Counting(url, () => {}, { statement: 3_000 });
    t.teardown(() => database.close());
    const store = await storeOf(database);
    // The connection must not use up the time.
    await until('a connection is open', async () => {
      await Promise.allSettled([database.query({ text: 'SELECT 1' })]);
      return database.connections.idle > 0;
    });
    proxy.begin('silence');
    asked = 0;
    await t.rejects(store.create('owner', newPlant({ id: 1n, name: 'x' })), OutcomeUnknownError);
    t.equal(asked, 1, 'the create itself');
  },
);

t.test('a statement waits for a new connection until its deadline, and not longer', async (t) => {
  const { proxy, url } = await startDatabaseProxy(t, await makeDatabase(t));
  const database = new Database(url, () => {}, { connections: 1, connect: 600_000 });
  t.teardown(() => database.close());
  proxy.begin('silence');
  const attempt = database.query({ text: 'SELECT 1', deadline: performance.now() + 500 });
  await t.rejects(attempt, NotSentError);
  // The connection that was being opened is for whoever comes next.
  proxy.clearUp();
  await t.resolves(database.query({ text: 'SELECT 1' }));
});

t.test('a statement waits for a connection that others use until its deadline', async (t) => {
  const url = await makeDatabase(t);
  const database = new Database(url, () => {}, { connections: 1, connect: 600_000, statement: 600_000 });
  t.teardown(() => database.close());
  const { waiting, goOn } = await waitingStatement(t, database, url);
  await t.rejects(database.query({ text: 'SELECT 1', deadline: performance.now() + 100 }), NotSentError);
  await goOn();
  await waiting;
});
