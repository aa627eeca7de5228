import { existsSync } from 'node:fs';
import pg from 'pg';
import t, { type Test } from 'tap';
import { Pgbouncer, pgbouncerProgram, pgbouncerVersion, startDatabaseProxy } from '../../../kit/index.js';
import { type Answer, spawnServer, startProgram, until } from '../../../kit/testing.js';
import { TokenStore } from '../../src/access/token-store.js';
import { overloads } from '../../src/errors/overloads.js';
import { Database } from '../../src/postgres/database.js';
import { newPlantText } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';

/** Debian's pgbouncer, or the one in the variable PGBOUNCER: 1.18.0 and 1.24.1 pass these tests. */
const program = process.env['PGBOUNCER'] ?? pgbouncerProgram;
const version = pgbouncerVersion(program);
const skip = !existsSync(program) && 'pgbouncer is not installed';

/** Starts pgbouncer with two server connections, each lent for one transaction; returns its URL. */
async function startPgbouncer(
  t: Test,
  database: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  // pgbouncer could not enter the folder of the tests' PostgreSQL socket.
  const { url: databaseUrl } = await startDatabaseProxy(t, database);
  const options = { program, databaseUrl, settings: { default_pool_size: '2', ...settings } };
  return (await Pgbouncer.start(t, options)).url;
}

/** Clears the prepared statements of both server connections: each open transaction has one to itself. */
async function forgetNames(url: string): Promise<void> {
  const clients = [new pg.Client(url), new pg.Client(url)];
  await Promise.all(clients.map((client) => client.connect()));
  for (const client of clients) await client.query('BEGIN');
  for (const client of clients) await client.query('DEALLOCATE ALL');
  for (const client of clients) await client.query('COMMIT');
  await Promise.all(clients.map((client) => client.end()));
}

/** A slow machine may refuse some of so many at once, because they wait for too long. No other 503 may come. */
async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await ask();
  const isRefused = [overloads['owner requests in flight'], overloads.requests].some((one) =>
    answer.text.includes(one),
  );
  return answer.status === 503 && isRefused ? untilServed(ask) : answer;
}

t.test('the service works behind pgbouncer in transaction mode', { skip }, async (t) => {
  const url = await startPgbouncer(t, await makeDatabase(t));
  const server = await spawnServer(t, { DATABASE_URL: url });
  const linesAbout = (what: string) =>
    server
      .stdout()
      .split('\n')
      .filter((line) => line.includes(what)).length;
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  const tokens = await Promise.all(['a', 'b', 'c'].map((owner) => new TokenStore(database).issue(owner)));

  const all = Array.from({ length: 300 }, (_, id) => ({ id, token: tokens[id % tokens.length] ?? '' }));
  type Ask = (plant: (typeof all)[number]) => Promise<Answer>;
  const statuses = async (ask: Ask) =>
    new Set(
      (await Promise.all(all.map((plant) => untilServed(() => ask(plant))))).map(({ status, text }) =>
        status === 503 ? text : status,
      ),
    );
  const store = () =>
    statuses(({ id, token }) =>
      server.call('POST', '/plants', { token, body: newPlantText({ id, name: 'Ficus' }) }),
    );
  t.strictSame(await store(), new Set([200]), 'stored');
  const line = 'prepared statements fail';
  // Debian 12 has 1.18; since 1.21, pgbouncer keeps prepared statements (max_prepared_statements).
  if (version < 1.21) {
    await until('a lost name is told of', async () => {
      await forgetNames(url);
      t.strictSame(await store(), new Set([200]), 'stored already');
      return linesAbout(line) > 0;
    });
  }
  await forgetNames(url);
  t.strictSame(await store(), new Set([200]), 'stored already');
  t.equal(linesAbout(line), version < 1.21 ? 1 : 0, `pgbouncer ${version}`);
  t.equal(linesAbout('unexpected failure'), 0);
  const [token = ''] = tokens;
  t.equal(JSON.parse((await server.call('GET', '/plants', { token })).text).length, 100);
  for (const status of [204, 404]) {
    t.strictSame(
      await statuses(({ id, token }) => server.call('DELETE', `/plants/${id}`, { token })),
      new Set([status]),
    );
  }
});

t.test('statements that take too long are rolled back through pgbouncer', { skip }, async (t) => {
  const database = new Database(await startPgbouncer(t, await makeDatabase(t)), () => {});
  t.teardown(() => database.close());
  const sleeps = [1, 2].map(() => database.query({ text: 'SELECT pg_sleep(60)' }));
  await Promise.all(sleeps.map((sleep) => t.rejects(sleep, { name: 'RolledBackError' })));
});

for (const ignored of ['extra_float_digits', 'statement_timeout'])
  t.test(
    `a pgbouncer that ignores only ${ignored} ends the start, which says what to do`,
    { skip },
    async (t) => {
      const settings = { ignore_startup_parameters: ignored };
      const DATABASE_URL = await startPgbouncer(t, await makeDatabase(t), settings);
      const server = startProgram(t, 'src/main.ts', [], {
        environment: { DATABASE_URL, DATABASE_WAIT_SECONDS: '0', PORT: '0' },
      });
      t.equal(await server.ended, 1);
      t.match(
        server.stderr(),
        /^Cannot connect to PostgreSQL .+unsupported startup parameter.+"ignore_startup_parameters = statement_timeout, lock_timeout"/,
      );
    },
  );

t.test('a statement that waits for a lock is rolled back through pgbouncer', { skip }, async (t) => {
  const url = await makeDatabase(t);
  const holder = new pg.Client(url);
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query('CREATE TABLE locked (id int)');
  await holder.query('BEGIN; LOCK TABLE locked');
  const database = new Database(await startPgbouncer(t, url), () => {});
  t.teardown(() => database.close());
  await t.rejects(database.query({ text: 'INSERT INTO locked VALUES (1)' }), {
    name: 'RolledBackError',
    cause: { code: '55P03' },
  });
});
