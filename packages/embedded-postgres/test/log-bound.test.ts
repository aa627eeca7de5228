import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { makeFolder, until } from '../../kit/testing.js';
import { startOwnPostgres } from '../../service/test/support/postgres/own-postgres.js';
import { boundLog } from '../src/log-bound.js';

t.test('the log of a PostgreSQL does not grow for ever, and goes on', async (t) => {
  const cluster = await startOwnPostgres(t);
  const file = cluster.logFile;
  const end = boundLog(file, { maxBytes: 20_000, intervalMs: 5 });
  const client = await cluster.connect();
  t.teardown(() => client.end());
  for (let failures = 0; failures < 300; failures++)
    await client.query(`SELECT 1 / 0 -- ${'x'.repeat(200)}`).catch(() => {});
  const older = await until('it was cut', () => readFile(`${file}.1`, 'utf8').catch(() => undefined));
  t.match(older, 'division by zero');
  await end();
  await client.query('SELECT last_words').catch(() => {});
  const log = await until('it goes on', async () => {
    const text = await readFile(file, 'utf8');
    return text.includes('last_words') ? text : undefined;
  });
  t.notOk(log.includes('\0'), 'from its new beginning');
  t.ok(log.length < 60_000);
});

t.test('a log is cut even if it cannot be copied, and missed by nobody', async (t) => {
  const file = join(await makeFolder(t), 'log');
  await mkdir(`${file}.1`);
  const end = boundLog(file, { maxBytes: 1, intervalMs: 5 });
  await writeFile(file, 'long');
  await until('it is empty', async () => (await stat(file)).size === 0);
  await rm(file);
  await writeFile(file, 'again');
  await until('it is empty', async () => (await stat(file)).size === 0);
  await end();
});
