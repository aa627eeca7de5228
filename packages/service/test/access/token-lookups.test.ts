/** Anybody can send well-formed tokens that nobody has issued: each has to be looked up. */
import { fastify } from 'fastify';
import pg from 'pg';
import t from 'tap';
import { untilLocked } from '../../../kit/postgres.js';
import { until } from '../../../kit/testing.js';
import { bearerCheck } from '../../src/access/bearer.js';
import { hashToken, makeToken } from '../../src/access/token.js';
import { maxLookups, TokenStore } from '../../src/access/token-store.js';
import { openDatabase } from '../support/postgres/database.js';
import { startService } from '../support/service.js';

const { call, databaseUrl } = await startService(t);

t.test('look-ups in flight are bounded, and a token that is known needs none', async (t) => {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE access_tokens');
  const forged = () => call('GET', '/plants?limit=1', { token: makeToken() });
  const sent = [forged()];
  await untilLocked(databaseUrl);
  const more = 10;
  const refused: Awaited<ReturnType<typeof forged>>[] = [];
  for (let count = 1; count < maxLookups + more; count++) sent.push(forged());
  for (const answer of sent) void answer.then((it) => it.status === 503 && refused.push(it));
  await until('those beyond the bound are refused', () => refused.length === more);
  t.equal(refused[0]?.headers.get('retry-after'), '1');
  await holder.query('ROLLBACK');
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 401).length, maxLookups);
});

t.test('a known token is served while strangers use up the look-ups', async (t) => {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  t.teardown(() => holder.end());
  let isServed = false;
  // A token stays known for 4 s: on a slow machine, the look-ups may take longer to begin.
  for (let attempt = 0; attempt < 3 && !isServed; attempt++) {
    t.equal((await call('GET', '/plants?limit=1')).status, 200);
    await holder.query('BEGIN; LOCK TABLE access_tokens');
    const sent = Array.from({ length: maxLookups + 1 }, () =>
      call('GET', '/plants?limit=1', { token: makeToken() }),
    );
    await Promise.any(sent.map(async (answer) => (await answer).status === 503 || Promise.reject()));
    isServed = (await call('GET', '/plants?limit=1')).status === 200;
    await holder.query('ROLLBACK');
    await Promise.all(sent);
  }
  t.ok(isServed);
});

t.test('a token that was good a moment ago is looked up while strangers use up the look-ups', async (t) => {
  const database = openDatabase(t, databaseUrl);
  const tokens = new TokenStore(database);
  const good = hashToken(await tokens.issue('good'));
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query('BEGIN; LOCK TABLE access_tokens');
  const forged = Array.from({ length: maxLookups }, () => tokens.find(hashToken(makeToken())));
  await t.rejects(tokens.find(good), { name: 'OverloadError', reason: 'tokens' }, 'as an unknown one');
  const found = tokens.find(good, 'known');
  await holder.query('ROLLBACK');
  t.match(await found, { owner: 'good' });
  t.strictSame(new Set(await Promise.all(forged)), new Set([undefined]));
});

t.test('the check of a request says of its token whether it was good a moment ago', async (t) => {
  const kinds: unknown[] = [];
  const app = fastify();
  t.teardown(() => app.close());
  app.decorateRequest('caller', undefined);
  app.decorateRequest('arrivedAt', 0);
  const good = makeToken();
  const check = await bearerCheck(app, {
    async find(hash, kind) {
      kinds.push(kind);
      // A lifetime of 1 ms makes the next request look it up again.
      return hash === hashToken(good) ? { owner: 'good', remainingMs: 1 } : undefined;
    },
  });
  app.get('/', { onRequest: check }, async () => 'ok');
  const send = (token: string) => app.inject({ url: '/', headers: { authorization: `Bearer ${token}` } });
  for (const token of [good, makeToken()]) await send(token);
  await until('the good one is not cached any more', async () => {
    await send(good);
    return kinds.length > 2;
  });
  t.strictSame(kinds, ['unknown', 'unknown', 'known']);
});
