import pg from 'pg';
import t from 'tap';
import { listen } from '../../../kit/postgres.js';
import { OutcomeUnknownError, RefusedStatementError, RolledBackError } from '../../src/errors/database.js';
import { reasonOf } from '../../src/errors/reason.js';
import { Database } from '../../src/postgres/database.js';
import { isUnavailable, sqlStateClassOf, violatedConstraint } from '../../src/postgres/sqlstate.js';
import { makeDatabase } from '../support/postgres/database.js';

/** Returns the error that `run` fails with. */
async function failureOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

t.test('SQLSTATEs of a real PostgreSQL', async (t) => {
  const url = await makeDatabase(t);
  const connect = async (connectionString = url): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString });
    client.on('error', () => {});
    t.teardown(() => client.end());
    await client.connect();
    return client;
  };
  const admin = await connect();
  const backendOf = async (client: pg.Client): Promise<number> =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
  const code = (error: unknown): unknown => (error instanceof pg.DatabaseError ? error.code : error);

  t.test('a connection that the administrator terminated is "unavailable"', async (t) => {
    const client = await connect();
    const pid = await backendOf(client);
    const failure = failureOf(() => client.query('SELECT pg_sleep(60)'));
    await admin.query('SELECT pg_terminate_backend($1)', [pid]);
    const error = await failure;
    t.equal(code(error), '57P01');
    t.ok(isUnavailable(error));
    // The client does not even send another statement on it.
    t.ok(isUnavailable(await failureOf(() => client.query('SELECT 1'))));
  });

  t.test('a violated constraint has its name also if a coordinator passes on only the message', async (t) => {
    const client = await connect();
    const passedOn = (message: string) =>
      failureOf(() => client.query(`DO $$ BEGIN RAISE '${message}' USING ERRCODE = '23503'; END $$`));
    const message = 'insert or update on table "beds_7" violates foreign key constraint "beds_garden_7"';
    t.equal(violatedConstraint(await passedOn(message)), 'beds_garden_7');
    t.equal(violatedConstraint(await passedOn('something else')), undefined);
  });

  t.test('a cancelled statement is "unavailable"', async (t) => {
    const client = await connect();
    const failure = failureOf(() => client.query("SET statement_timeout = '10ms'; SELECT pg_sleep(60)"));
    const error = await failure;
    t.equal(code(error), '57014');
    t.ok(isUnavailable(error));
  });

  t.test('a write in a read-only transaction is "unavailable"', async (t) => {
    const client = await connect();
    await client.query('SET default_transaction_read_only = on');
    const error = await failureOf(() => client.query('CREATE TABLE nothing ()'));
    t.equal(code(error), '25006');
    t.ok(isUnavailable(error));
  });

  t.test('a lock timeout is "unavailable"', async (t) => {
    await admin.query('SELECT pg_advisory_lock(1)');
    const client = await connect();
    await client.query("SET lock_timeout = '10ms'");
    const error = await failureOf(() => client.query('SELECT pg_advisory_lock(1)'));
    t.equal(code(error), '55P03');
    t.ok(isUnavailable(error));
  });

  t.test('what a failing statement leaves behind', async (t) => {
    const database = new Database(url, () => {}, { connections: 1 });
    t.teardown(() => database.close());
    const raise = (state: string) => ({ text: `DO $$ BEGIN RAISE 'no' USING ERRCODE = '${state}'; END $$` });
    const backend = async () => (await database.query({ text: 'SELECT pg_backend_pid() AS pid' })).rows[0];
    for (const state of ['40001', '40P01', '55P03', '57014']) {
      const before = await backend();
      await t.rejects(database.query(raise(state)), RolledBackError, `${state}: it was rolled back`);
      t.strictSame(await backend(), before, 'and the connection serves on');
    }
    // A coordinator has lost the server to which it had sent the statement.
    const before = await backend();
    await t.rejects(database.query(raise('08006')), OutcomeUnknownError, '08006: it may be committed');
    t.strictSame(await backend(), before, 'and the connection to the coordinator serves on');
    for (const state of ['08P01', '40003', '53100', '57P01', '58030']) {
      const before = await backend();
      await t.rejects(database.query(raise(state)), OutcomeUnknownError, `${state}: it may be committed`);
      t.notSame(await backend(), before, 'and the connection is closed');
    }
  });

  t.test('a deadlock is "unavailable"', async (t) => {
    const [one, other] = [await connect(), await connect()];
    for (const client of [one, other]) await client.query("SET deadlock_timeout = '10ms'; BEGIN");
    await one.query('SELECT pg_advisory_xact_lock(2)');
    await other.query('SELECT pg_advisory_xact_lock(3)');
    const results = await Promise.allSettled([
      one.query('SELECT pg_advisory_xact_lock(3)').catch(async (error) => {
        await one.query('ROLLBACK');
        throw error;
      }),
      other.query('SELECT pg_advisory_xact_lock(2)').catch(async (error) => {
        await other.query('ROLLBACK');
        throw error;
      }),
    ]);
    const [error, ...others] = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    t.equal(code(error), '40P01');
    t.strictSame(others, []);
    t.ok(isUnavailable(error));
  });

  t.test('too many connections, a wrong password and a missing database are "unavailable"', async (t) => {
    const role = `limited_${new URL(url).pathname.slice(1)}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'right' CONNECTION LIMIT 1`);
    t.teardown(async () => {
      await admin.query(`DROP ROLE ${role}`);
    });
    const as = (password: string): string => url.replace(/\/\/[^@]*@/, `//${role}:${password}@`);
    const only = new pg.Client({ connectionString: as('right') });
    await only.connect();
    const cases: readonly (readonly [state: string, url: string])[] = [
      ['53300', as('right')],
      ['28P01', as('wrong')],
      ['3D000', url.replace(/\/test_\w+\?/, '/nowhere?')],
    ];
    for (const [state, wrongUrl] of cases) {
      const database = new Database(wrongUrl, () => {});
      const error = await failureOf(() => database.query({ text: 'SELECT 1' }));
      t.match(error, { name: 'DatabaseUnavailableError', message: /^The database is not available: .+\.$/ });
      t.equal(code(error instanceof Error ? error.cause : undefined), state);
      await database.close();
    }
    await only.end();
  });

  t.test('if the coordinator of a Citus ends, its workers may still run the statement', async (t) => {
    const database = new Database(url, () => {});
    t.teardown(() => database.close());
    const text = (words: string) => `DO $$ BEGIN RAISE '${words}' USING ERRCODE = 'XX000'; END $$`;
    await t.rejects(database.query({ text: text('postmaster was shut down, exiting') }), {
      name: 'OutcomeUnknownError',
    });
    await t.rejects(database.query({ text: text('another') }), { name: 'error' });
  });

  t.test('a faulty statement is not "unavailable"', async (t) => {
    await admin.query('CREATE TABLE one (id int PRIMARY KEY); INSERT INTO one VALUES (1)');
    const cases: readonly (readonly [state: string, text: string])[] = [
      ['42P01', 'SELECT * FROM no_such_table'],
      ['42601', 'SELEKT'],
      ['23505', 'INSERT INTO one VALUES (1)'],
      ['22P02', "SELECT 'x'::int"],
      ['22012', 'SELECT 1/0'],
    ];
    const database = new Database(url, () => {});
    t.teardown(() => database.close());
    for (const [state, text] of cases) {
      const error = await failureOf(() => database.query({ text }));
      const isRefused = error instanceof RefusedStatementError;
      t.equal(isRefused, state.startsWith('42'));
      t.equal(code(isRefused ? error.cause : error), state);
      t.notOk(isUnavailable(error));
    }
  });
});

t.test('failures of the network', async (t) => {
  const failureAt = (host: string): Promise<unknown> =>
    failureOf(() => new pg.Client({ connectionString: `postgresql://user:secret@${host}/plants` }).connect());

  const cases: readonly (readonly [what: string, host: string])[] = [
    ['a name that nobody knows', 'no-such-host.invalid'],
    ['a connection that is cut', `127.0.0.1:${await listen(t, (socket) => socket.destroy())}`],
    ['a connection that is reset', `127.0.0.1:${await listen(t, (socket) => socket.resetAndDestroy())}`],
    [
      'an answer that is no message of PostgreSQL',
      `127.0.0.1:${await listen(t, (socket) => socket.end(Buffer.from('!\0\0\0\x04')))}`,
    ],
    ['a socket that is not there', `%2Fno%2Fsuch%2Ffolder`],
    ['a port where nobody listens', '127.0.0.1:1'],
    ['a name with several addresses where nobody listens', 'localhost:1'],
  ];
  for (const [what, host] of cases) {
    t.test(`a failure to connect is "unavailable": ${what}`, async (t) => {
      const error = await failureAt(host);
      t.ok(isUnavailable(error), String(error));
      t.notMatch(reasonOf(error), 'secret');
      t.not(reasonOf(error), '');
    });
  }
});

t.test('the failure of several addresses has one reason for each', async (t) => {
  const error = new AggregateError([
    new Error('connect ECONNREFUSED ::1:5432'),
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
  ]);
  t.ok(isUnavailable(error));
  t.equal(reasonOf(error), 'connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432');
});

t.test('failures that do not concern the database are not "unavailable"', async (t) => {
  for (const error of ['a text', undefined, new TypeError('a message'), new RangeError('another')]) {
    t.notOk(isUnavailable(error));
  }
  // This error comes from Node.js, with a code of its own.
  const error = await failureOf(async () => Buffer.from('x').readInt32BE());
  t.match(error, { code: /^ERR_/ });
  t.notOk(isUnavailable(error));
});

t.test('a failure without a SQLSTATE has the class "none"', async (t) => {
  t.equal(sqlStateClassOf('no error at all'), 'none');
  t.equal(sqlStateClassOf(new Error('no code')), 'none');
  t.equal(sqlStateClassOf(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), 'none');
  const locked = Object.assign(new pg.DatabaseError('locked', 0, 'error'), { code: '55P03' });
  t.equal(sqlStateClassOf(locked), '55');
});
