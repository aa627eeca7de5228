/** A network that is half open takes what is sent, and brings nothing back. The time limits must not add up there. */
import t from 'tap';
import { startDatabaseProxy } from '../../scripts/kit/database-proxy.js';
import { NotSentError, OutcomeUnknownError } from '../../src/errors/database.js';
import { plantParts } from '../../src/parts.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { makeDatabase } from '../support/postgres/database.js';
import { until } from '../support/programs/process.js';
import { newPlant } from '../support/service/plants.js';
import { storeOf } from '../support/service/store.js';

t.test('a create takes as long as its statement: nobody asks for its outcome after that', async (t) => {
  const { proxy, url } = await startDatabaseProxy(t, await makeDatabase(t));
  await migrate(url, plantParts.migrationFolders);
  const database = new Database(url, () => {}, { statement: 1_000 });
  t.teardown(() => database.close());
  const store = await storeOf(database);
  // Each of the two needs a connection of its own. On a busy machine, they take long to open.
  const sleep = () => database.query({ text: 'SELECT pg_sleep(0.1)' });
  await until('two connections are open', async () => {
    await Promise.allSettled([sleep(), sleep()]);
    return database.connections.idle >= 2;
  });
  proxy.begin('silence');
  const begin = performance.now();
  const elapsed = async (attempt: Promise<unknown>) => {
    await t.rejects(attempt, OutcomeUnknownError);
    return performance.now() - begin;
  };
  const [create, statement] = await Promise.all([
    elapsed(store.create('owner', newPlant({ id: 1n, name: 'x' }))),
    elapsed(database.query({ text: 'SELECT 1', deadline: performance.now() + 1_000 })),
  ]);
  t.ok(create < 2 * statement, `${create} ms instead of ${statement} ms`);
});

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
  const database = new Database(await makeDatabase(t), () => {}, { connections: 1, connect: 600_000 });
  t.teardown(() => database.close());
  await database.query({ text: 'SELECT 1' });
  const long = database.query({ text: 'SELECT pg_sleep(2)' });
  const attempt = database.query({ text: 'SELECT 1', deadline: performance.now() + 100 });
  await t.rejects(Promise.race([attempt, long]), NotSentError);
  await long;
});
