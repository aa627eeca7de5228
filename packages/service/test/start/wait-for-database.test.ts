import t from 'tap';
import { waitForDatabase } from '../../src/start/wait-for-database.js';
import { makeDatabase } from '../support/postgres/database.js';
import { startOwnPostgres } from '../support/postgres/own-postgres.js';

const never = new AbortController().signal;

t.test('a database that comes up meanwhile is used, and only the first failure is said', async (t) => {
  const cluster = await startOwnPostgres(t);
  await cluster.stop();
  const said = t.capture(console, 'error');
  const waited = waitForDatabase(cluster.url, 60_000, never);
  await cluster.start();
  await waited;
  t.match(said(), [{ args: [/^Cannot connect to PostgreSQL at .+ Trying again for 60 s\.$/] }]);
  t.equal(said().length, 0);
});

t.test('what time does not mend is said at once', async (t) => {
  const said = t.capture(console, 'error');
  const url = (await makeDatabase(t)).replace(/plants:[^@]+@/, 'plants:wrong@');
  await t.rejects(waitForDatabase(url, 60_000, never), {
    name: 'SettingsError',
    message: /password authentication failed for user "plants"\. Correct the user/,
  });
  t.strictSame(said(), []);
});

t.test('after the time, or without any, the sentence is that of the last failure', async (t) => {
  const said = t.capture(console, 'error');
  const url = 'postgresql://user@127.0.0.1:1/plants';
  const failure = {
    name: 'SettingsError',
    message: /connection refused\. Start PostgreSQL there, or correct DATABASE_URL\.$/,
  };
  await t.rejects(waitForDatabase(url, 0, never), failure);
  t.strictSame(said(), []);
  await t.rejects(waitForDatabase(url, 5_000, never), failure);
  t.equal(said().length, 1);
  await t.rejects(waitForDatabase(url, 60_000, AbortSignal.timeout(100)), { name: 'AbortError' });
});
