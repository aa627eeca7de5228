import pg from 'pg';
import t, { type Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { until } from '../../../kit/testing.js';
import { Readiness } from '../../src/postgres/readiness.js';
import { newPlantText } from '../support/plants.js';
import { makeDatabase, makeTables } from '../support/postgres/database.js';
import { startService } from '../support/service.js';

async function connectTo(t: Test, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

t.test('fifteen hundred askers share an answer, and take nothing from the requests of others', async (t) => {
  const { call } = await startService(t);
  const asked = Array.from({ length: 1_500 }, () => call('GET', '/ready'));
  const created = Array.from({ length: 50 }, (_, id) =>
    call('POST', '/plants', { body: newPlantText({ id, name: 'Ficus' }) }),
  );
  const statuses = async (answers: typeof asked) =>
    new Set((await Promise.all(answers)).map(({ status }) => status));
  t.strictSame(await statuses(created), new Set([200]));
  t.strictSame(await statuses(asked), new Set([200]));
});

t.test('an answer is asked for once, and kept for a moment', async (t) => {
  const readiness = new Readiness(await makeTables(t, ''), plantStore.neededTables);
  t.teardown(() => readiness.close());
  const first = readiness.check();
  t.equal(readiness.check(), first);
  await first;
  t.equal(readiness.check(), first);
  await until('it is asked for again', () => readiness.check() !== first);
  await readiness.check();
});

t.test('a database that could not serve is not ready', async (t) => {
  const url = await makeDatabase(t);
  const { call } = await startService(t, { databaseUrl: url });
  const owner = await connectTo(t, url);
  const isReady = async () => (await call('GET', '/ready')).status === 200;
  const readyAfter = async (sql: string) => {
    await owner.query(sql);
    await until('it is ready again', isReady);
  };
  const unreadyAfter = async (sql: string) => {
    await owner.query(sql);
    await until(`it is not ready after ${sql}`, async () => !(await isReady()));
    t.equal((await call('GET', '/live')).status, 200);
  };
  await until('it is ready', isReady);
  await unreadyAfter('ALTER TABLE plants RENAME TO gone');
  await readyAfter('ALTER TABLE gone RENAME TO plants');
  await unreadyAfter('ALTER TABLE access_tokens RENAME TO gone');
  await readyAfter('ALTER TABLE gone RENAME TO access_tokens');
  const others =
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  const [name] = new URL(url).pathname.slice(1).split('?');
  await unreadyAfter(`ALTER DATABASE ${name} SET default_transaction_read_only = on; ${others}`);
  await readyAfter(
    `SET default_transaction_read_only = off; ALTER DATABASE ${name} RESET default_transaction_read_only; ${others}`,
  );
  await owner.query('BEGIN; LOCK TABLE plants');
  const readiness = new Readiness(url, plantStore.neededTables);
  t.teardown(() => readiness.close());
  // It has no answer that is kept from before.
  await until('it is ready beside a lock', () =>
    readiness.check().then(
      () => true,
      () => false,
    ),
  );
  await owner.query('ROLLBACK');
});

t.test('an account without a right is not ready, and the answer names the right', async (t) => {
  const url = new URL(await makeTables(t, ''));
  const owner = await connectTo(t, url.href);
  const role = url.pathname.slice(1);
  await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  t.teardown(() => owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`));
  for (const { name, rights } of plantStore.neededTables) {
    const granted = rights.filter((right) => name !== 'plants' || right !== 'DELETE');
    await owner.query(`GRANT ${granted.join(', ')} ON ${name} TO ${role}`);
  }
  const readinessNow = async () => {
    const asRole = new URL(url);
    asRole.username = role;
    asRole.password = 'secret';
    const readiness = new Readiness(asRole.href, plantStore.neededTables);
    await readiness.check().finally(() => readiness.close());
  };
  await t.rejects(readinessNow(), {
    message: 'The database is not available: the right to DELETE on the table plants is missing.',
  });
  await owner.query(`GRANT DELETE ON plants TO ${role}`);
  await t.resolves(readinessNow());
});
