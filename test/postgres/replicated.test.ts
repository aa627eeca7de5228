import pg from 'pg';
import t from 'tap';
import { newPlant, newPlantText, plantText } from '../../scripts/kit/plants.js';
import { TokenStore } from '../../src/access/token-store.js';
import { migrationFolders } from '../../src/parts.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { ReplicatedDatabase } from '../../src/postgres/replicated.js';
import { endOf } from '../support/end-of.js';
import { plantMany } from '../support/many-plants.js';
import { startReplicated } from '../support/own-postgres.js';
import { until } from '../support/process.js';
import { namesIn } from '../support/replicas.js';
import { spawnServer } from '../support/server.js';
import { storeOf } from '../support/store.js';

const restMs = 50;
const again = 'replica: lists are read from it again: undefined';
const instead = (why: string) => `replica: lists are read from the leader: Error: ${why}`;

/** An account without any right but those that the service needs. */
function asPlainAccount(url: string): string {
  const plain = new URL(url);
  plain.username = 'leaf';
  plain.password = 'green';
  return plain.href;
}

t.test('a list shows all that was written before, by anybody, whatever the replica does', async (t) => {
  const { leader, standby } = await startReplicated(t);
  await migrate(leader.url, migrationFolders);
  const admin = await leader.connect();
  t.teardown(() => admin.end());
  await admin.query("CREATE ROLE leaf LOGIN PASSWORD 'green'");
  await admin.query(
    'GRANT SELECT, INSERT, DELETE ON plants TO leaf; GRANT SELECT, INSERT ON access_tokens TO leaf',
  );
  await admin.query('GRANT SELECT ON plant_store_migrations TO leaf');
  const [url, readUrl] = [leader.url, standby.url].map(asPlainAccount) as [string, string];
  const told: string[] = [];
  const report = (error: unknown, message: string) => told.push(`${message}: ${error}`);
  const database = new ReplicatedDatabase(url, readUrl, report, restMs);
  t.teardown(() => database.close());
  const other = new Database(url, () => {});
  t.teardown(() => other.close());
  const stores = [await storeOf(database), await storeOf(other)] as const;
  const names: string[] = [];
  const write = async (count: number) => {
    for (let left = count; left > 0; left--) {
      const name = `plant ${names.length}`;
      names.push(name);
      // Another process of the service writes every second one.
      const store = names.length % 2 === 0 ? stores[0] : stores[1];
      await store.create('owner', newPlant({ id: BigInt(names.length), name }));
      t.strictSame(await namesIn(stores[0], 'owner'), names);
    }
  };
  const untilTold = (what: string) =>
    until(`it says ${what}`, async () => {
      await write(1);
      return told.some((line) => line.startsWith(what));
    });

  const untilRead = async () => {
    await until('the replica is read', async () => {
      await write(1);
      return told.length === 0 || told.at(-1) === again;
    });
    told.length = 0;
  };

  // The replica does not know the account yet.
  await untilRead();

  await t.test('a replica that follows is read', async (t) => {
    await write(20);
    await plantMany(leader.url, 'rich', 3_000);
    t.equal((await namesIn(stores[0], 'rich')).length, 3_000);
    t.strictSame(told, []);
  });

  await t.test('a replica that is behind is not', async () => {
    const paused = await standby.connect();
    await paused.query('SELECT pg_wal_replay_pause()');
    await untilTold(instead('it is behind the leader'));
    await write(3);
    await paused.query('SELECT pg_wal_replay_resume()');
    await paused.end();
    await untilRead();
  });

  await t.test('nor is one that is down', async () => {
    await standby.stop();
    await untilTold('replica: lists are read from the leader');
    await standby.start();
    await untilRead();
  });

  await t.test('what the leader does not show yet is not shown', async (t) => {
    const probe = await leader.connect();
    await probe.query('CREATE TABLE probe ()');
    await admin.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await admin.query('SELECT pg_reload_conf()');
    await until('it is set', async () => {
      const { rows } = await admin.query('SHOW synchronous_standby_names');
      return rows[0].synchronous_standby_names === 'nobody';
    });
    // The setting is shown before the checkpointer has made commits wait.
    let inserting: Promise<unknown> | undefined;
    await until('commits wait', async () => {
      inserting ??= probe.query('INSERT INTO probe DEFAULT VALUES').finally(() => {
        inserting = undefined;
      });
      const { rows } = await admin.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
      return rows.length > 0;
    });
    const created = stores[1].create('hasty', newPlant({ id: 1n, name: 'early' }));
    const reader = await standby.connect();
    const hasEnded = endOf(created);
    await until('the replica has it', async () => {
      if (hasEnded()) throw new Error('The create should wait for a standby, and has ended.');
      const { rows } = await reader.query("SELECT FROM plants WHERE owner = 'hasty'");
      return rows.length === 1;
    });
    await reader.end();
    t.strictSame(await namesIn(stores[0], 'hasty'), []);
    t.strictSame(told, [instead('it is ahead of the leader')]);
    await admin.query('ALTER SYSTEM RESET synchronous_standby_names');
    await admin.query('SELECT pg_reload_conf()');
    await created;
    await inserting;
    await probe.end();
    t.strictSame(await namesIn(stores[0], 'hasty'), ['early']);
    await untilRead();
  });

  await t.test('writes that are acknowledged before they are flushed are shown, too', async () => {
    const setSynchronousCommit = async (value: string) => {
      await admin.query(`ALTER SYSTEM SET synchronous_commit = '${value}'`);
      await admin.query('SELECT pg_reload_conf()');
      // Each connection reloads on its own. While one writes as before, another may not know how to look for it.
      await until('the connections have reloaded', async () => {
        const answers = await Promise.all(
          [database, other].map((one) =>
            one.query<{ synchronous_commit: string }>({ text: 'SHOW synchronous_commit' }),
          ),
        );
        return answers.every(({ rows }) => rows[0]?.synchronous_commit === value);
      });
    };
    await setSynchronousCommit('off');
    await write(20);
    await setSynchronousCommit('on');
    await untilRead();
  });

  await t.test('nor is one that has become a leader', async () => {
    const promoted = await standby.connect();
    await promoted.query('SELECT pg_promote()');
    await promoted.end();
    await untilTold(instead('it does not follow the leader'));
    await write(3);
  });
});

t.test('the service reads lists from READ_DATABASE_URL', async (t) => {
  const { leader, standby } = await startReplicated(t);
  const server = await spawnServer(
    t,
    { DATABASE_URL: leader.url, READ_DATABASE_URL: standby.url },
    { counted: true },
  );
  const reader = new pg.Client(standby.url);
  await reader.connect();
  t.teardown(() => reader.end());
  const database = new Database(leader.url, () => {});
  t.teardown(() => database.close());
  const token = await new TokenStore(database).issue('owner');
  t.equal(
    (await server.call('POST', '/plants', { token, body: newPlantText({ id: 1, name: 'Ficus' }) })).status,
    200,
  );
  t.equal((await server.call('GET', '/plants', { token })).text, `[${plantText({ name: 'Ficus' })}]`);
  const { rows } = await reader.query(
    "SELECT query FROM pg_stat_activity WHERE application_name = 'plant-store' AND query LIKE '%pg_snapshot_xmax%'",
  );
  t.equal(rows.length, 1);
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
});
