import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { startDatabaseProxy } from '../../../kit/index.js';
import { listen } from '../../../kit/postgres.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../../src/errors/database.js';
import { Database } from '../../src/postgres/database.js';
import { tryDatabase } from '../../src/start/try-database.js';
import { waitForDatabase } from '../../src/start/wait-for-database.js';
import { makeDatabase } from '../support/postgres/database.js';
import { startService } from '../support/service.js';

/** The fields of an error (PostgreSQL documentation, section 54.8), as pgpool 4.3 writes them. */
interface Fields {
  readonly severity: string;
  readonly code: string;
}

const poolerLostIts = { severity: 'FATAL', code: 'XX000' };

function errorMessage({ severity, code }: Fields): Buffer {
  const fields = `S${severity}\0V${severity}\0C${code}\0Munable to read data from DB node 0\0\0`;
  const head = Buffer.from('E----');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

/** The tests' PostgreSQL behind a pooler that loses its connection to it if asked to. */
async function behindPooler(t: Test, databaseUrl: string) {
  const url = new URL((await startDatabaseProxy(t, databaseUrl)).url);
  const postgresPort = Number(url.port);
  let next: Fields | undefined;
  const port = await listen(t, (client) => {
    const postgres = connect(postgresPort, '127.0.0.1').on('error', () => {});
    postgres.pipe(client);
    client.on('end', () => postgres.end());
    client.on('data', (bytes) => {
      if (next === undefined) {
        postgres.write(bytes);
        return;
      }
      postgres.unpipe(client).destroy();
      client.end(errorMessage(next));
      next = undefined;
    });
  });
  url.port = String(port);
  return {
    url: url.href,
    /** Answers what comes next, a login or a statement, with this error, and closes the connection. */
    failNext(error: Fields) {
      next = error;
    },
  };
}

t.test('an error that ends the connection leaves the outcome unknown, whatever its code', async (t) => {
  const pooler = await behindPooler(t, await makeDatabase(t));
  const database = new Database(pooler.url, () => {}, { connections: 1 });
  t.teardown(() => database.close());
  const backend = async () => (await database.query({ text: 'SELECT pg_backend_pid() AS pid' })).rows[0];
  for (const severity of ['FATAL', 'PANIC']) {
    // The codes of an internal error, a table that is missing, a right, a row, a timeout, and a lost name.
    for (const code of ['XX000', '42P01', '42501', '23505', '57014', '26000', '25P04']) {
      const before = await backend();
      pooler.failNext({ severity, code });
      await t.rejects(database.query({ name: 'write', text: 'SELECT 1' }), OutcomeUnknownError, code);
      t.notSame(await backend(), before, 'and the connection is closed');
      pooler.failNext({ severity, code });
      await t.rejects(
        database.query({ name: 'read', text: 'SELECT 2', reads: true }),
        { name: DatabaseUnavailableError.name },
        `${code}: a read has no outcome`,
      );
    }
  }
});

t.test('a statement for which a pooler could not log in was not sent', async (t) => {
  const pooler = await behindPooler(t, await makeDatabase(t));
  const database = new Database(pooler.url, () => {}, { connections: 1 });
  t.teardown(() => database.close());
  for (const code of ['28P01', '3D000', '53300']) {
    await database.query({ text: 'SELECT 1' });
    pooler.failNext({ severity: 'FATAL', code });
    await t.rejects(database.query({ text: 'SELECT 1' }), { name: DatabaseUnavailableError.name }, code);
  }
});

t.test('a request whose pooler has lost its connection is a 503, and the next one is served', async (t) => {
  const pooler = await behindPooler(t, await makeDatabase(t));
  const { call } = await startService(t, { databaseUrl: pooler.url });
  // This makes the token known, and opens the connection.
  t.equal((await call('GET', '/plants')).status, 200);
  pooler.failNext(poolerLostIts);
  t.equal((await call('GET', '/plants')).status, 503);
  t.equal((await call('GET', '/plants')).status, 200);
});

t.test('a start that meets a pgpool which has given up its server says what to do', async (t) => {
  const pooler = await behindPooler(t, await makeDatabase(t));
  pooler.failNext({ severity: 'ERROR', code: '08S01' });
  await t.rejects(tryDatabase(pooler.url), { message: /If pgpool is there.*DISALLOW_TO_FAILOVER/ });
});

t.test('a start waits for a PostgreSQL that its pooler has lost', async (t) => {
  const pooler = await behindPooler(t, await makeDatabase(t));
  pooler.failNext(poolerLostIts);
  await waitForDatabase(pooler.url, 60_000, new AbortController().signal);
});
