import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { endOf, until } from '../../../kit/testing.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { Readiness } from '../../src/postgres/readiness.js';
import { newPlant, storedPlant } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { startOwnPostgres, startReplicated } from '../support/postgres/own-postgres.js';
import { namesIn } from '../support/replicas.js';
import { storeOf } from '../support/store.js';

function open(t: Test, url: string, limits = {}): Database {
  const database = new Database(url, () => {}, limits);
  t.teardown(() => database.close());
  return database;
}

const pid = { text: 'SELECT pg_backend_pid() AS pid' };

t.test('a standby answers nothing until it is the leader', async (t) => {
  const { standby } = await startReplicated(t);
  const told: string[] = [];
  const database = new Database(standby.url, (error, message) => told.push(`${message}: ${error}`));
  t.teardown(() => database.close());
  const refusal = { message: 'The database is not available: PostgreSQL there is a standby.' };
  await t.rejects(database.query({ text: 'SELECT 1', reads: true }), refusal);
  t.strictSame(told, [
    'the database is lost: no connection can be made: Error: PostgreSQL there is a standby',
  ]);
  t.equal(database.connections.open, 0, 'no connection is kept');
  const readiness = new Readiness(standby.url, plantStore.neededTables);
  t.teardown(() => readiness.close());
  await t.rejects(readiness.check(), refusal);
  const admin = await standby.connect();
  t.teardown(() => admin.end());
  await admin.query('SELECT pg_promote()');
  await database.query({ text: 'SELECT 1' });
});

t.test('a server that says that it is read-only loses all connections', async (t) => {
  const url = await makeDatabase(t);
  const [admin, database] = [open(t, url), open(t, url)];
  await admin.query({ text: 'CREATE TABLE leaf ()' });
  const idle = await Promise.all([database.query(pid), database.query(pid)]);
  const [name] = new URL(url).pathname.slice(1).split('?');
  await admin.query({ text: `ALTER DATABASE ${name} SET default_transaction_read_only = on` });
  await database.query({ text: 'SET default_transaction_read_only = on' });
  await t.rejects(database.query({ text: 'INSERT INTO leaf DEFAULT VALUES' }), {
    name: 'DatabaseUnavailableError',
    message: /read-only/,
  });
  await admin.query({ text: `ALTER DATABASE ${name} RESET default_transaction_read_only` });
  const before = new Set(idle.map(({ rows }) => rows[0]?.['pid']));
  const after = await Promise.all([database.query(pid), database.query(pid), database.query(pid)]);
  for (const { rows } of after) t.notOk(before.has(rows[0]?.['pid']), 'a new connection');
});

t.test('a write that waits for a standby too long is neither confirmed nor shown', async (t) => {
  const postgres = await startOwnPostgres(t);
  await migrate(postgres.url, plantStore.migrationFolders);
  const admin = await postgres.connect();
  t.teardown(() => admin.end());
  const waitFor = async (standby: string) => {
    await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
    await admin.query('SELECT pg_reload_conf()');
    await until('it is set', async () => {
      const { rows } = await admin.query('SHOW synchronous_standby_names');
      return rows[0].synchronous_standby_names === standby;
    });
  };
  const database = open(t, postgres.url, { statement: 5_000 });
  const store = await storeOf(database);
  // On a busy machine, a new connection takes longer than that. The second one is for the retry.
  await Promise.all([database.query(pid), database.query(pid)]);
  await waitFor('nobody');
  const plant = newPlant({ id: 7n, name: 'Ficus' });
  const waiting = async () =>
    (await admin.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).rows.length;
  const first = t.rejects(store.create('owner', plant), { name: 'OutcomeUnknownError' });
  const hasEnded = endOf(first);
  await until('it waits', async () => hasEnded() || (await waiting()));
  // It waits for the row of the first one, which is a lock.
  await t.rejects(store.create('owner', plant), { name: 'RolledBackError' }, 'a retry is rolled back');
  await first;
  t.strictSame(await namesIn(store, 'owner'), []);
  t.ok(await waiting(), 'PostgreSQL goes on waiting');
  await waitFor('');
  t.same(await store.create('owner', plant), storedPlant({ name: 'Ficus' }));
  t.strictSame(await namesIn(store, 'owner'), ['Ficus']);
});
