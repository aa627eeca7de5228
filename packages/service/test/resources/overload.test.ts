import t from 'tap';
import { until } from '../../../kit/testing.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';
import { allParts, resourcesOf } from '../support/resources.js';
import { startService } from '../support/service.js';

/** Every operation of every resource says that it cannot answer now, and does so again once it can. */

for (const parts of allParts) {
  const resources = await resourcesOf(parts);
  const names = resources.map(({ name }) => name).join(', ');

  t.test(
    `${names}: if the database is gone, each operation answers 503, and 200 once it is back`,
    async (t) => {
      const databaseUrl = await makeDatabase(t);
      const { call } = await startService(t, { databaseUrl, parts });
      const [, name] = /\/(test_\w+)\?/.exec(databaseUrl) ?? [];
      const admin = openDatabase(t, databaseUrl.replace(`/${name}?`, '/postgres?'));
      t.equal((await call('GET', '/ready')).status, 200);
      await admin.query({ text: `ALTER DATABASE ${name} ALLOW_CONNECTIONS false` });
      await admin.query({
        text: 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
        values: [name],
      });
      for (const { operations, item, content, someId } of resources) {
        for (const { id, method, path, requestBody } of operations) {
          const body = method === 'POST' ? item(1, 'first') : content('second');
          const answer = await call(method, path.replace('{id}', someId), requestBody && { body });
          t.equal(answer.status, 503, id);
          t.equal(answer.headers.get('retry-after'), '1');
          t.strictSame(answer.body, {
            error: 503,
            message: 'The service cannot answer right now: try again later.',
          });
        }
      }
      await until('it is known', async () => (await call('GET', '/ready')).status === 503);
      t.equal((await call('GET', '/live')).status, 200);
      await admin.query({ text: `ALTER DATABASE ${name} ALLOW_CONNECTIONS true` });
      for (const { path } of resources) t.equal((await call('GET', path)).status, 200);
      await until('it is known', async () => (await call('GET', '/ready')).status === 200);
    },
  );
}
