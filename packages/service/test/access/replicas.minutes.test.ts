import t from 'tap';
import { spawnServer, until } from '../../../kit/testing.js';
import { TokenStore } from '../../src/access/token-store.js';
import { makeDatabase, openDatabase } from '../support/postgres/database.js';

t.test('a token that is revoked is refused by every replica within the promised five seconds', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const replicas = await Promise.all([1, 2].map(() => spawnServer(t, { DATABASE_URL })));
  const database = openDatabase(t, DATABASE_URL);
  const tokens = new TokenStore(database);
  const token = await tokens.issue('owner');
  const ask = async (replica: (typeof replicas)[number]) =>
    (await replica.call('GET', '/plants?limit=1', { token })).status;
  t.strictSame(await Promise.all(replicas.map(ask)), [200, 200], 'each remembers it');
  const [{ id } = { id: 0n }] = await tokens.list();
  await tokens.revoke(id);
  const revokedAt = performance.now();
  const last = await Promise.all(
    replicas.map(async (replica) => {
      let sentAt = revokedAt;
      await until('it is dead', async () => {
        const now = performance.now();
        const status = await ask(replica);
        if (status === 200) sentAt = now;
        return status === 401;
      });
      return sentAt - revokedAt;
    }),
  );
  // Slow machines count too: only requests that were sent in these five seconds may pass.
  t.ok(
    last.every((milliseconds) => milliseconds <= 5_000),
    `it was good for ${last.map(Math.round)} ms`,
  );
  t.strictSame(await Promise.all(replicas.map(ask)), [401, 401]);
});
