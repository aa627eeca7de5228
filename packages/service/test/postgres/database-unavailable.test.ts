import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { send, startDatabaseProxy } from '../../../kit/index.js';
import { waitingStatement } from '../../../kit/postgres.js';
import { until } from '../../../kit/testing.js';
import { Database } from '../../src/postgres/database.js';
import type { Report } from '../../src/postgres/report.js';
import { explainFailure } from '../../src/start/explain-failure.js';
import { makeDatabase, shortLimitMs } from '../support/postgres/database.js';
import { startOwnPostgres } from '../support/postgres/own-postgres.js';

const unavailable = { name: 'DatabaseUnavailableError' };

function openDatabase(t: Test, url: string, report: Report = () => {}): Database {
  const database = new Database(url, report);
  t.teardown(() => database.close());
  return database;
}

t.test('a statement whose connection falls silent is given up, with an unknown outcome', async (t) => {
  const { proxy, url } = await startDatabaseProxy(t, await makeDatabase(t));
  const database = new Database(url, () => {}, { statement: shortLimitMs });
  t.teardown(() => database.close());
  await database.query({ text: 'SELECT 1' });
  proxy.silence();
  await t.rejects(database.query({ text: 'SELECT 1' }), {
    name: 'OutcomeUnknownError',
    message: 'The database is not available: no answer in time.',
  });
  await t.resolves(database.query({ text: 'SELECT 1' }), 'another connection is made');
});

t.test('an error of PostgreSQL has the stack of the call that sent the statement', async (t) => {
  const database = openDatabase(t, await makeDatabase(t));
  const divideByZero = async () => {
    await database.query({ text: 'SELECT 1 / 0' });
  };
  await t.rejects(divideByZero(), { code: '22012', stack: /division by zero\n.* async divideByZero/s });
});

t.test('a read whose connection is lost is "unavailable", never of unknown outcome', async (t) => {
  const url = await makeDatabase(t);
  const [admin, database] = [openDatabase(t, url), openDatabase(t, url)];
  const read = database.query({ text: 'SELECT pg_sleep(60)', reads: true }).catch((error) => error);
  await until('it is cut', async () => {
    const { rows } = await admin.query({
      text: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
    });
    return rows.length === 1;
  });
  t.match(await read, unavailable);
});

t.test('an idle connection that breaks is reported and replaced', async (t) => {
  const url = await makeDatabase(t);
  const told: unknown[] = [];
  const database = openDatabase(t, url, (error) => told.push(error));
  const { rows } = await database.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  await openDatabase(t, url).query({ text: 'SELECT pg_terminate_backend($1)', values: [rows[0]?.pid] });
  await until('it is told', () => told.length > 0);
  await database.query({ text: 'SELECT 1' });
});

t.test('a statement that finds no free connection in time says so, and is no outage', async (t) => {
  const told: string[] = [];
  const url = await makeDatabase(t);
  const database = new Database(url, (_error, message) => told.push(message), {
    connections: 1,
    connect: 100,
  });
  t.teardown(() => database.close());
  // On a busy machine, a new connection may take longer than that.
  await until('it is connected', () =>
    database.query({ text: 'SELECT 1' }).then(
      () => true,
      () => false,
    ),
  );
  told.length = 0;
  const { waiting, goOn } = await waitingStatement(t, database, url);
  await t.rejects(database.query({ text: 'SELECT 1' }), { name: 'OverloadError', reason: 'connections' });
  await goOn();
  await waiting;
  // If a connection took longer before, that is over now, and may be told.
  t.strictSame(
    told.filter((message) => !message.startsWith('the database is back')),
    [],
  );
});

t.test('if a thousand statements wait for a connection, the next one is refused at once', async (t) => {
  const database = new Database(await makeDatabase(t), () => {}, { connections: 1, connect: 60_000 });
  t.teardown(() => database.close());
  const text = 'SELECT 1';
  await database.query({ text });
  const statements = Array.from({ length: 1_000 }, () => database.query({ text }));
  await t.rejects(database.query({ text }), { name: 'OverloadError', reason: 'connections' });
  await Promise.all(statements);
  t.equal(database.connections.waiting, 0);
});

t.test('statements get a connection in the order in which they came', async (t) => {
  const database = new Database(await makeDatabase(t), () => {}, { connections: 1, connect: 60_000 });
  t.teardown(() => database.close());
  await database.query({ text: 'CREATE TABLE came (number int, at int GENERATED ALWAYS AS IDENTITY)' });
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  const text = 'INSERT INTO came VALUES ($1)';
  const inserts = numbers.map((number) => database.query({ text, values: [number] }));
  t.equal(database.connections.waiting, 20, 'the pool lends its idle connection in the next tick');
  await Promise.all(inserts);
  t.match(database.connections, { open: 1, idle: 1, waiting: 0 });
  const { rows } = await database.query({ text: 'SELECT number FROM came ORDER BY at' });
  t.strictSame(
    rows.map((row) => row['number']),
    numbers,
  );
});

t.test('timeouts of connections and statements', async (t) => {
  // These tests wait for the real timeouts: three seconds to connect, eight for a statement, ten for silence.
  t.jobs = 3;
  t.test('a server that never answers is "unavailable" in time', { buffered: true }, async (t) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const database = openDatabase(t, `postgresql://user:secret@127.0.0.1:${port}/plants`);
    await t.rejects(database.query({ text: 'SELECT 1' }), unavailable);
    t.equal(sockets.length, 1);
  });

  t.test(
    'a statement that never ends is cancelled and rolled back after its timeout',
    { buffered: true },
    async (t) => {
      const url = await makeDatabase(t);
      const database = openDatabase(t, url);
      await t.rejects(database.query({ text: 'SELECT pg_sleep(60)' }), { name: 'RolledBackError' });
      const { rows } = await openDatabase(t, url).query({
        text: "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
      });
      t.equal(rows.length, 0);
      await database.query({ text: 'SELECT 1' });
    },
  );

  t.test("if a statement's backend is frozen, its outcome is unknown", { buffered: true }, async (t) => {
    // On the shared PostgreSQL, dropping any database would wait for the stopped backend.
    const database = openDatabase(t, (await startOwnPostgres(t)).url);
    const { rows } = await database.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
    const [backend] = rows;
    t.ok(backend);
    const pid = backend?.pid ?? 0;
    t.teardown(() => send('SIGCONT', pid));
    send('SIGSTOP', pid);
    await t.rejects(database.query({ text: 'SELECT 1' }), { name: 'OutcomeUnknownError' });
    await database.query({ text: 'SELECT 1' });
  });

  t.test(
    'a statement that takes too long is rolled back, although no other connection can be made',
    { buffered: true },
    async (t) => {
      const { proxy, url } = await startDatabaseProxy(t, await makeDatabase(t));
      const database = new Database(url, () => {}, { statement: shortLimitMs });
      t.teardown(() => database.close());
      await database.query({ text: 'SELECT 1' });
      proxy.refuse();
      await t.rejects(database.query({ text: 'SELECT pg_sleep(60)' }), { name: 'RolledBackError' });
    },
  );
});

t.test('an unexpected failure is explained with its stack', async (t) => {
  const explained = explainFailure(new TypeError('unforeseen'));
  t.match(explained, /^TypeError: unforeseen\n {4}at /);
});
