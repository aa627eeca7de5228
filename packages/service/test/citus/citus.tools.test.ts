/**
 * On a real Citus, `CITUS_URL=postgresql://… npm run test:citus`, or `npm run citus -- test`, which builds and starts
 * one. The tables of that database are dropped.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import t, { type Test } from 'tap';
import { gardenService } from '../../../../examples/gardens/garden-service.js';
import { plantStore } from '../../../../src/plant-store.js';
import { plantsTable } from '../../../../src/plants/table.js';
import { contractFile, projectFolder } from '../../../kit/index.js';
import { spawnServer, until } from '../../../kit/testing.js';
import { readContract } from '../../../service-tools/index.js';
import { TokenStore } from '../../src/access/token-store.js';
import { LongLists } from '../../src/fairness/long-lists.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { DistributedStore } from '../../src/store/distributed-store.js';
import { openStore } from '../../src/store/open.js';
import { insertPlants, newPlant } from '../support/plants.js';
import { WatchedDatabase } from '../support/replicas.js';
import { startService } from '../support/service.js';

const url = process.env['CITUS_URL'] ?? '';
const skip = url === '' && 'CITUS_URL is not set';
const execute = promisify(execFile);
const tables = ['plants', 'access_tokens', 'plant_store_migrations'];

async function connect(t: Test): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  t.teardown(() => client.end());
  return client;
}

/** Empty tables, as the migrations make them. */
async function fresh(t: Test): Promise<pg.Client> {
  const client = await connect(t);
  await client.query(`DROP TABLE IF EXISTS ${tables.join(', ')}`);
  await migrate(url, plantStore.migrationFolders);
  return client;
}

async function open(t: Test, parameters: Readonly<Record<string, string>> = {}) {
  const address = new URL(url);
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const database = new WatchedDatabase(address.href);
  t.teardown(() => database.close());
  return {
    database,
    plants: await openStore(await readContract(contractFile), database, plantsTable, new LongLists()),
  };
}

t.test('the migrations distribute plants by owner', { skip }, async (t) => {
  const client = await fresh(t);
  const { rows } = await client.query(
    'SELECT logicalrelid::text AS name, partmethod AS method, column_to_column_name(logicalrelid, partkey) AS key FROM pg_dist_partition ORDER BY name',
  );
  t.strictSame(rows, [
    { name: 'access_tokens', method: 'n', key: null },
    { name: 'plant_store_migrations', method: 'n', key: null },
    { name: 'plants', method: 'h', key: 'owner' },
  ]);
  t.strictSame(await migrate(url, plantStore.migrationFolders), [], 'once');
});

t.test('every statement about plants is one task on one worker', { skip }, async (t) => {
  const client = await fresh(t);
  await client.query('SELECT citus_stat_counters_reset(0)');
  const { database, plants } = await open(t, { options: '-c citus.enable_stat_counters=on' });
  t.ok(plants instanceof DistributedStore);
  const owners = Array.from({ length: 40 }, (_, at) => `owner-${at}`);
  const ids = Array.from({ length: 30 }, (_, at) => BigInt(at));
  // All at once would be an overload on a slow machine.
  const each = async <Result>(work: (owner: string, id: bigint) => Promise<Result>) => {
    const results: Result[] = [];
    for (const id of ids) results.push(...(await Promise.all(owners.map((owner) => work(owner, id)))));
    return results;
  };
  const create = () => each((owner, id) => plants.create(owner, newPlant({ id, name: `${id}` })));
  t.notOk((await create()).includes('conflict'));
  await create();
  const update = () => each((owner, id) => plants.update(owner, newPlant({ id, name: `${owner} ${id}` })));
  t.notOk((await update()).includes('absent'));
  await Promise.all(owners.map((owner) => plants.list(owner, { limit: 7 })));
  t.strictSame(new Set(await each((owner, id) => plants.delete(owner, id))), new Set(['deleted']));
  // EXPLAIN below plans for the given values. A prepared statement may be planned without, so executions count, too.
  const { rows: executions } = await client.query(
    'SELECT query_execution_single_shard > 0 AS "hasSingle", query_execution_multi_shard AS several FROM citus_stat_counters WHERE name = current_database()',
  );
  t.strictSame(executions, [{ hasSingle: true, several: 0n }]);
  const names = new Set<string | undefined>();
  for (const { name, text, values = [] } of database.statements) {
    if (!text.includes('plants') || name === 'find a shard of plants' || text.includes('pg_dist')) continue;
    const types = values.map((value) =>
      Array.isArray(value) ? 'unknown' : typeof value === 'bigint' ? 'bigint' : 'text',
    );
    await client.query(`PREPARE one (${types.join(', ')}) AS ${text}`);
    const literals = values.map((value) =>
      value === null || value === undefined
        ? 'NULL'
        : pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value)),
    );
    const { rows } = await client.query(`EXPLAIN (COSTS OFF) EXECUTE one(${literals.join(', ')})`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    await client.query('DEALLOCATE one');
    if (!/Task Count: 1$/m.test(plan)) t.fail(`${text}\n${plan}`);
    names.add(text.slice(0, 6));
  }
  t.strictSame(names, new Set(['INSERT', 'SELECT', 'UPDATE', 'DELETE']));
  t.equal((await client.query('SELECT FROM plants')).rowCount, 0);
});

t.test('a long list is whole', { skip }, async (t) => {
  const client = await fresh(t);
  await client.query(insertPlants("SELECT 'owner', id, id::text FROM generate_series(1, 20000) AS id"));
  const { plants } = await open(t);
  const names = [];
  for await (const page of await plants.list('owner')) names.push(...[page].flat().map(({ name }) => name));
  t.strictSame(
    names,
    Array.from({ length: 20_000 }, (_, at) => String(at + 1)),
  );
});

t.test('tokens are issued, listed, revoked and removed', { skip }, async (t) => {
  const client = await fresh(t);
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  const tokens = new TokenStore(database);
  await tokens.issue('a');
  await tokens.issue('b', 1);
  const ids = (await tokens.list()).map(({ id }) => id);
  t.equal(ids.length, 2);
  t.ok(await tokens.revoke(ids[0] ?? 0n));
  const [{ revokedAt } = { revokedAt: null }] = await tokens.list();
  t.ok(await tokens.revoke(ids[0] ?? 0n), 'again');
  t.strictSame((await tokens.list())[0]?.revokedAt, revokedAt, 'which changes nothing');
  t.notOk(await tokens.revoke(-1n));
  t.equal(await tokens.removeOld(), 0);
  await client.query("UPDATE access_tokens SET revoked_at = now() - interval '31 days', expires_at = NULL");
  t.equal(await tokens.removeOld(), 2);
});

t.test(
  'a table that is distributed while the service runs is served without a restart',
  { skip },
  async (t) => {
    const client = await fresh(t);
    await client.query("SELECT undistribute_table('plants')");
    const { call } = await startService(t, { databaseUrl: url });
    t.equal((await call('POST', '/plants', { body: '{"id":1,"name":"x"}' })).status, 200);
    await client.query("SELECT create_distributed_table('plants', 'owner')");
    const statuses: number[] = [];
    for (const [method, path, body] of [
      ['GET', '/plants'],
      ['POST', '/plants', '{"id":2,"name":"x"}'],
      ['DELETE', '/plants/1'],
    ] as const)
      await until(`${method} is served`, async () => {
        const { status } = await call(method, path, body && { body });
        statuses.push(status);
        return status < 300;
      });
    t.same(
      statuses.filter((status) => status >= 300 && status !== 503),
      [],
    );
  },
);

t.test('a reference between tables that are distributed together is refused or held', { skip }, async (t) => {
  const client = await connect(t);
  await client.query(`DROP TABLE IF EXISTS suppliers, beds, gardens, ${tables.join(', ')}`);
  await migrate(url, gardenService.migrationFolders);
  // Citus distributes no table to which a local one refers.
  await client.query('ALTER TABLE beds DROP CONSTRAINT beds_garden');
  await client.query(
    "SELECT create_distributed_table('gardens', 'owner'); SELECT create_distributed_table('beds', 'owner')",
  );
  await client.query(
    'ALTER TABLE beds ADD CONSTRAINT beds_garden FOREIGN KEY (owner, garden) REFERENCES gardens (owner, id)',
  );
  const { call } = await startService(t, { databaseUrl: url, parts: gardenService });
  const bed = { body: '{"id":7,"garden":7,"name":"x"}' };
  const steps = [
    () => call('POST', '/beds', bed),
    () => call('POST', '/gardens', { body: '{"id":7,"name":"x"}' }),
    () => call('POST', '/beds', bed),
    () => call('DELETE', '/gardens/7'),
    () => call('DELETE', '/beds/7'),
    () => call('DELETE', '/gardens/7'),
  ];
  const statuses: number[] = [];
  for (const step of steps) statuses.push((await step()).status);
  t.same(statuses, [404, 200, 200, 409, 204, 204]);
});

t.test('the service keeps the contract', { skip }, async (t) => {
  await fresh(t);
  const server = await spawnServer(t, { DATABASE_URL: url });
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  const [token, other] = await Promise.all(
    ['one', 'other'].map((owner) => new TokenStore(database).issue(owner)),
  );
  const parameters = [
    '--import',
    import.meta.resolve('tsx'),
    'scripts/check-contract.ts',
    '--url',
    server.address,
  ];
  const { stdout } = await execute(process.execPath, parameters, {
    cwd: projectFolder,
    env: { ...process.env, PLANTS_TOKEN: token, PLANTS_OTHER_TOKEN: other },
  });
  t.match(stdout, /keeps \S*openapi\/plants\.yaml\./);
});
