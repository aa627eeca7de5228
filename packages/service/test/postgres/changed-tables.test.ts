/** The tables change under a running service: by a migration by hand, or by a restore. */
import pg from 'pg';
import t from 'tap';
import { plantsTable } from '../../../../src/plants/table.js';
import { until } from '../../../kit/testing.js';
import { startService } from '../support/service.js';

const { table } = plantsTable;

for (const [what, change, back] of [
  ['its table is renamed', `ALTER TABLE ${table} RENAME TO gone`, `ALTER TABLE gone RENAME TO ${table}`],
  [
    'a column is renamed',
    `ALTER TABLE ${table} RENAME owner TO gone`,
    `ALTER TABLE ${table} RENAME gone TO owner`,
  ],
  [
    'the table of tokens is renamed',
    'ALTER TABLE access_tokens RENAME TO gone',
    'ALTER TABLE gone RENAME TO access_tokens',
  ],
] as const) {
  t.test(`while ${what}, a request gets the 503 that /ready gives`, async (t) => {
    const { call, newCaller, databaseUrl } = await startService(t);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    t.teardown(() => client.end());
    // With a token that is not known yet, also the table of tokens is asked.
    const stranger = await newCaller();
    await client.query(change);
    const answer = await stranger('GET', '/plants?limit=1');
    t.equal(answer.headers.get('retry-after'), '1');
    const ready = await until('/ready has noticed', async () => {
      const asked = await call('GET', '/ready');
      return asked.status === 503 ? asked : undefined;
    });
    t.strictSame([answer.status, answer.body], [503, ready.body]);
    await client.query(back);
    await until('it is ready', async () => (await call('GET', '/ready')).status === 200);
    t.equal((await stranger('GET', '/plants?limit=1')).status, 200);
  });
}
