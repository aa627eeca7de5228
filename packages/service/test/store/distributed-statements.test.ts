import pg from 'pg';
import t, { type Test } from 'tap';
import { plantsTable } from '../../../../src/plants/table.js';
import { contractFile } from '../../../kit/index.js';
import { readContract } from '../../../service-tools/index.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { DistributedStore } from '../../src/store/distributed-store.js';
import { openStore } from '../../src/store/open.js';
import { insertPlants, newPlant, storedPlant, withTexts } from '../support/plants.js';
import { makeTables } from '../support/postgres/database.js';
import { WatchedDatabase } from '../support/replicas.js';
import type { PlantStore } from '../support/store.js';

/** What the service asks Citus, on a plain PostgreSQL. `npm run test:citus` asks a real one. */
const catalogue = 'CREATE TABLE pg_dist_partition (logicalrelid regclass);';
const threeShards = `
  INSERT INTO pg_dist_partition VALUES ('plants');
  CREATE FUNCTION get_shard_id_for_distribution_column(regclass, text) RETURNS bigint
  LANGUAGE sql AS 'SELECT length($2)::bigint % 3'`;

const contract = await readContract(contractFile);
/** Two of each shard. */
const owners = ['a', 'aa', 'aaa', 'aaaa', 'aaaaa', 'aaaaaa'];

async function open(t: Test, sql: string) {
  const database = new WatchedDatabase(await makeTables(t, sql));
  t.teardown(() => database.close());
  return { database, plants: await openStore(contract, database, plantsTable, new LongLists()) };
}

async function namesIn(plants: Pick<PlantStore, 'list'>, owner: string, limit?: number): Promise<string[]> {
  const names = [];
  for await (const page of await plants.list(owner, { limit }))
    names.push(...[page].flat().map(({ name }) => name));
  return names;
}

/** Of each statement, the lengths of its owners modulo 3. */
function shardsOf({ statements }: WatchedDatabase): number[][] {
  return statements
    .filter(({ text }) => /^(?:INSERT|UPDATE|DELETE|SELECT item)/.test(text))
    .map(({ values = [] }) => {
      const texts = values.filter((value) => typeof value === 'string' && /^a+$/.test(value));
      return [...new Set(texts.map((owner) => String(owner).length % 3))];
    });
}

t.test('plants are stored on shards only if Citus has distributed them', async (t) => {
  t.notOk((await open(t, 'SELECT')).plants instanceof DistributedStore, 'without Citus');
  t.notOk((await open(t, catalogue)).plants instanceof DistributedStore, 'not distributed');
  t.ok((await open(t, catalogue + threeShards)).plants instanceof DistributedStore);
});

t.test('a table that is distributed while the service runs is a 503 once, and then served', async (t) => {
  const { database, plants } = await open(t, 'SELECT');
  await plants.create('a', newPlant({ id: 1n, name: 'one' }));
  const refuses = `
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF current_setting('plan_cache_mode') = 'force_generic_plan' THEN RAISE SQLSTATE '0A000'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION refuse()`;
  await database.query({ text: refuses });
  const two = newPlant({ id: 2n, name: 'two' });
  await t.rejects(plants.create('a', two), { code: '0A000' }, 'for another reason');
  for (const text of `${catalogue}${threeShards}`.split(';')) await database.query({ text });
  await t.rejects(plants.create('a', two), { name: 'ServiceUnavailableError' });
  t.strictSame(await plants.create('a', two), storedPlant({ name: 'two' }));
  t.strictSame(await namesIn(plants, 'a'), ['one', 'two']);
});

t.test('each statement creates, finds, updates or deletes plants of one shard', async (t) => {
  const { database, plants } = await open(t, catalogue + threeShards);
  const ids = Array.from({ length: 20 }, (_, at) => BigInt(at));
  const each = <Result>(work: (owner: string, id: bigint) => Promise<Result>) =>
    Promise.all(owners.flatMap((owner) => ids.map((id) => work(owner, id))));
  const create = () =>
    each((owner, id) =>
      plants.create(owner, newPlant({ id, name: `${id}`, ...(id % 2n === 0n && withTexts('x')) })),
    );

  const created = await create();
  t.strictSame(created[0], storedPlant({ name: '0', ...withTexts('x') }));
  t.strictSame(created[1], storedPlant({ name: '1' }));
  t.strictSame(await create(), created, 'again, which finds them');
  t.strictSame(await each((owner, id) => plants.find(owner, id)), created);
  for (const owner of owners) t.strictSame(await namesIn(plants, owner), ids.map(String), owner);
  const updated = await each((owner, id) => plants.update(owner, newPlant({ id, name: `${owner} ${id}` })));
  t.strictSame(updated[1], storedPlant({ name: 'a 1' }));
  t.strictSame(await each((owner, id) => plants.find(owner, id)), updated, 'each has its own values');
  t.strictSame(new Set(await each((owner, id) => plants.delete(owner, id))), new Set(['deleted']));
  t.strictSame(new Set(await each((owner, id) => plants.delete(owner, id))), new Set(['absent']));
  t.strictSame(await namesIn(plants, 'a'), []);

  const shards = shardsOf(database);
  t.ok(shards.length >= 3 * 6);
  t.ok(shards.length < (owners.length * ids.length * 7) / 2, 'requests share statements');
  t.ok(shards.every((ofOne) => ofOne.length === 1));
  const looked = database.statements.filter(({ name }) => name === 'find a shard of plants');
  t.equal(looked.length, owners.length, 'shards are remembered');
});

t.test('equal creates, updates and deletes of one statement have one winner', async (t) => {
  const { plants } = await open(t, catalogue + threeShards);
  const names = ['x', 'y', 'x', 'y'];
  const created = await Promise.all(names.map((name) => plants.create('a', newPlant({ id: 1n, name }))));
  const x = storedPlant({ name: 'x' });
  t.strictSame(created, [x, 'conflict', x, 'conflict']);
  const updates = ['p', 'q', 'r'].map((name) => plants.update('a', newPlant({ id: 1n, name })));
  t.strictSame(
    await Promise.all(updates),
    ['p', 'q', 'r'].map((name) => storedPlant({ name })),
  );
  t.match(await plants.find('a', 1n), { name: /^[pqr]$/ }, 'one of the updates stays');
  t.strictSame(await Promise.all([1, 2, 3].map(() => plants.delete('a', 1n))), [
    'deleted',
    'absent',
    'absent',
  ]);
  t.strictSame(await plants.create('a', newPlant({ id: 1n, name: 'alone' })), storedPlant({ name: 'alone' }));
  t.equal(await plants.delete('a', 1n), 'deleted', 'alone');
});

t.test('lists of several owners, with limits, long, and with separators in plants', async (t) => {
  const { database, plants } = await open(t, catalogue + threeShards);
  const client = new pg.Client(database.url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query(
    insertPlants(`SELECT owner, id, CASE id WHEN 450 THEN U&'x\\001fy' ELSE id::text END
     FROM unnest($1::text[]) AS owner, generate_series(1, 5000) AS id`),
    [owners],
  );
  const names = Array.from({ length: 5_000 }, (_, at) => (at === 449 ? 'x\u001fy' : String(at + 1)));
  const lists = await Promise.all(
    owners.map((owner, at) => namesIn(plants, owner, at % 2 === 0 ? undefined : 10 * at)),
  );
  t.strictSame(
    lists,
    owners.map((_, at) => (at % 2 === 0 ? names : names.slice(0, 10 * at))),
  );
});
