import t from 'tap';
import { TokenStore } from '../../src/access/token-store.js';
import { Database } from '../../src/postgres/database.js';
import { startReplicated } from '../support/own-postgres.js';
import { startProgram } from '../support/process.js';
import { spawnServer } from '../support/server.js';

t.test('check:contract passes if lists come from a replica', { timeout: 600_000 }, async (t) => {
  const { leader, standby } = await startReplicated(t);
  const server = await spawnServer(t, { DATABASE_URL: leader.url, READ_DATABASE_URL: standby.url });
  const database = new Database(leader.url, () => {});
  t.teardown(() => database.close());
  const tokens = new TokenStore(database);
  const environment = {
    PLANTS_TOKEN: await tokens.issue('one'),
    PLANTS_OTHER_TOKEN: await tokens.issue('other'),
  };
  const check = startProgram(t, 'scripts/check-contract.ts', ['--url', server.address], { environment });
  t.equal(await check.ended, 0, check.stdout() + check.stderr());
  t.comment(check.stdout().split('\n').at(-2) ?? '');
  t.equal(server.stdout().split('replica: ').length, 1, 'the leader never answered instead');
});
