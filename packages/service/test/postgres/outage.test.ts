import pg from 'pg';
import t, { type Test } from 'tap';
import { spawnServer, until } from '../../../kit/testing.js';
import { LogSampler } from '../../src/log/sampler.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/postgres/database.js';
import { startService } from '../support/service.js';

/** Lets nobody into the database of the URL, and lets them in again. */
async function gateOf(t: Test, url: string) {
  const name = new URL(url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: url.replace(`/${name}?`, '/postgres?') });
  await admin.connect();
  t.teardown(() => admin.end());
  return {
    async close() {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    },
    async open() {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    },
  };
}

t.test('a loss of the database is told once, and its return once, with the failures between', async (t) => {
  const url = await makeDatabase(t);
  const gate = await gateOf(t, url);
  const told: string[] = [];
  const database = new Database(url, (_error, message) => told.push(message));
  t.teardown(() => database.close());
  const ask = () => database.query({ text: 'SELECT 1' });
  await Promise.all([ask(), ask(), ask()]);
  await gate.close();
  await until('the idle connections are gone', () => database.connections.open === 0);
  for (let failures = 0; failures < 20; failures++)
    await t.rejects(ask(), { name: 'DatabaseUnavailableError' });
  t.strictSame(told, ['lost a database connection', 'the database is lost: no connection can be made']);
  await gate.open();
  await until('its return is told', async () => {
    await ask();
    return told.length > 2;
  });
  t.match(told.slice(2), [/^the database is back: for \d+\.\d s, 20 statements got no connection$/]);
});

t.test('a service without its database logs one failure a second, not each', async (t) => {
  const databaseUrl = await makeDatabase(t);
  const gate = await gateOf(t, databaseUrl);
  const { call, log } = await startService(t, { databaseUrl });
  await gate.close();
  const answers = await Promise.all(Array.from({ length: 200 }, () => call('GET', '/plants')));
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([503]));
  const lines = log().split('"not available"').length - 1;
  t.ok(lines < answers.length, `${lines} lines for ${answers.length} answers`);
  t.notMatch(log(), '"leftOut":0', 'nothing was left out before the first line');
  await until('the others are counted', async () => {
    await call('GET', '/plants');
    return /"leftOut":[1-9]/.test(log());
  });
  await gate.open();
});

t.test('the log of the process has both lines', async (t) => {
  const url = await makeDatabase(t);
  const gate = await gateOf(t, url);
  const server = await spawnServer(t, { DATABASE_URL: url });
  // A token of the right form, which has to be looked up.
  const token = 'plant_mock000000000000000000000000000bEFbk';
  await gate.close();
  // The first answers of 503 can come from connections that end just then: nobody was turned away yet.
  await until('its loss is told', async () => {
    await server.call('GET', '/plants', { token });
    return server.stdout().includes('the database is lost');
  });
  await gate.open();
  await until('its return is told', async () => {
    await server.call('GET', '/plants', { token });
    return server.stdout().includes('the database is back');
  });
  t.equal(server.stdout().split('the database is lost').length, 2);
});

t.test('each kind of line is let through by itself', async (t) => {
  const sampler = new LogSampler();
  t.strictSame([sampler.pass('a'), sampler.pass('a'), sampler.pass('b')], [0, undefined, 0]);
  // Each try that does not pass counts.
  let tries = 0;
  const passed = await until('one more passes', () => {
    tries++;
    return sampler.pass('a');
  });
  t.equal(passed, tries);
});
