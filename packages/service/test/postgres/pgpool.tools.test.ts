/** What the table of poolers in docs/postgresql.md says of pgpool. */
import { existsSync } from 'node:fs';
import pg from 'pg';
import t, { type Test } from 'tap';
import { pgpoolProgram, startPgpool } from '../../../kit/postgres.js';
import { until } from '../../../kit/testing.js';
import { RolledBackError } from '../../src/errors/database.js';
import { Database } from '../../src/postgres/database.js';
import { tryDatabase } from '../../src/start/try-database.js';
import { newPlantText } from '../support/plants.js';
import { makeDatabase, shortLimitMs } from '../support/postgres/database.js';
import { startOwnPostgres } from '../support/postgres/own-postgres.js';
import { startService } from '../support/service.js';

const skip = !existsSync(pgpoolProgram) && 'pgpool is not installed';

t.setTimeout(300_000);

async function connect(t: Test, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  // pgpool may end it.
  client.on('error', () => {});
  await client.connect();
  t.teardown(() => client.end().catch(() => {}));
  return client;
}

const endOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

t.test('behind pgpool, each client keeps its session', { skip }, async (t) => {
  const url = await startPgpool(t, await makeDatabase(t));
  const [one, other] = [await connect(t, url), await connect(t, url)];
  await one.query("SET application_name = 'one'");
  t.same((await one.query('SHOW application_name')).rows, [{ application_name: 'one' }]);
  t.notSame((await other.query('SHOW application_name')).rows, [{ application_name: 'one' }]);
  t.same((await one.query({ name: 'same', text: 'SELECT 1 AS n' })).rows, [{ n: 1 }]);
  t.same((await other.query({ name: 'same', text: 'SELECT 2 AS n' })).rows, [{ n: 2 }]);
  const lock = 'SELECT pg_try_advisory_lock(7) AS is_mine';
  t.same((await one.query(lock)).rows, [{ is_mine: true }]);
  t.same((await other.query(lock)).rows, [{ is_mine: false }]);
});

t.test('behind pgpool, the time limit of a connection holds', { skip }, async (t) => {
  const url = await startPgpool(t, await makeDatabase(t));
  const database = new Database(url, () => {}, { statement: shortLimitMs });
  t.teardown(() => database.close());
  await t.rejects(database.query({ text: 'SELECT pg_sleep(60)' }), { name: RolledBackError.name });
});

t.test('the service behind pgpool serves again once PostgreSQL is back', { skip }, async (t) => {
  const cluster = await startOwnPostgres(t);
  const url = await startPgpool(t, cluster.url);
  const { call } = await startService(t, { databaseUrl: url });
  const body = newPlantText({ id: 7, name: 'Ficus' });
  t.equal((await call('POST', '/plants', { body })).status, 200);
  const administrator = await connect(t, cluster.url);
  await administrator.query(endOthers);
  t.equal((await call('GET', '/plants')).status, 503, 'the connection has ended');
  t.equal((await call('GET', '/plants')).status, 200);
  await cluster.stop();
  t.equal((await call('GET', '/plants')).status, 503, 'PostgreSQL is away');
  await cluster.start();
  await until('it serves again', async () => (await call('GET', '/plants')).status === 200);
  t.match((await call('GET', '/plants')).text, 'Ficus');
});

t.test('without DISALLOW_TO_FAILOVER, pgpool gives up a server that is there', { skip }, async (t) => {
  const direct = await makeDatabase(t);
  const url = await startPgpool(t, direct, { backend_flag0: 'ALLOW_TO_FAILOVER' });
  const client = await connect(t, url);
  const administrator = await connect(t, direct);
  await administrator.query(endOthers);
  await t.rejects(client.query('SELECT 1'));
  await until('pgpool refuses', () =>
    tryDatabase(url).then(
      () => false,
      ({ message }) => /DISALLOW_TO_FAILOVER/.test(message),
    ),
  );
  t.same((await administrator.query('SELECT 1 AS n')).rows, [{ n: 1 }], 'PostgreSQL is there');
});

t.test('with the mode raw, pgpool loses a write that it has confirmed', { skip }, async (t) => {
  const direct = await makeDatabase(t);
  const url = await startPgpool(t, direct, { backend_clustering_mode: 'raw' });
  const witness = await connect(t, direct);
  await witness.query('CREATE TABLE written (id bigint)');
  const client = await connect(t, url);
  const { command, rowCount } = await client.query('INSERT INTO written VALUES ($1)', [7]);
  t.same([command, rowCount], ['INSERT', 1], 'it is confirmed');
  await client.end();
  t.same((await witness.query('SELECT * FROM written')).rows, []);
});

t.test('with streaming_replication, a write that pgpool has confirmed is there', { skip }, async (t) => {
  const direct = await makeDatabase(t);
  const witness = await connect(t, direct);
  await witness.query('CREATE TABLE written (id bigint)');
  const client = await connect(t, await startPgpool(t, direct));
  await client.query('INSERT INTO written VALUES ($1)', [7]);
  t.same((await witness.query('SELECT * FROM written')).rows, [{ id: '7' }]);
});
