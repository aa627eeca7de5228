import { fastify } from 'fastify';
import pg from 'pg';
import t from 'tap';
import { untilLocked } from '../../kit/postgres.js';
import { replyToError } from '../src/http/error-answers.js';
import { listenIn } from './support/listen-in.js';
import { newPlantText } from './support/plants.js';
import { startService } from './support/service.js';

t.test('an unknown exception in a handler is a 500 with a fixed sentence', async (t) => {
  const app = fastify();
  app.setErrorHandler(replyToError('x', 'application/json'));
  const thrown = [
    new Error('secret'),
    Object.assign(new Error('secret'), { code: 'SECRET', statusCode: 418 }),
    'secret',
    null,
  ];
  for (const [index, value] of thrown.entries()) {
    app.get(`/${index}`, async () => {
      throw value;
    });
  }
  const address = await listenIn(t, app);
  for (const index of thrown.keys()) {
    const response = await fetch(`${address}/${index}`);
    t.equal(response.status, 500);
    t.strictSame(await response.json(), { error: 500, message: 'The server failed to answer this request.' });
  }
});

t.test('a delete whose connection is lost midway is a 503 that says it may be done', async (t) => {
  const { call, databaseUrl } = await startService(t);
  await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Ficus"}') });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  t.teardown(() => client.end());
  await client.query('BEGIN; SELECT FROM plants FOR UPDATE');
  const answer = call('DELETE', '/plants/1');
  await untilLocked(databaseUrl, 1, answer);
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))',
  );
  const { status, body, headers } = await answer;
  t.equal(status, 503);
  t.match(body, { error: 503, message: /may have been carried out/ });
  t.equal(headers.get('retry-after'), '1');
  await client.query('COMMIT');
  t.equal((await call('DELETE', '/plants/1')).status, 204);
});
