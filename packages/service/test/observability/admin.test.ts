import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import t from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { projectFolder, readVersion } from '../../../kit/index.js';
import { launchServer, makeFolder, missing, spawnServer, until } from '../../../kit/testing.js';
import { requestsWaiting } from '../../src/fairness/fair-queue.js';
import { maxLists } from '../../src/fairness/long-lists.js';
import { checkReady } from '../../src/http/health.js';
import { standardOutput } from '../../src/log/output.js';
import { makeAdmin } from '../../src/observability/admin.js';
import { events } from '../../src/observability/events.js';
import { Database } from '../../src/postgres/database.js';
import { Readiness } from '../../src/postgres/readiness.js';
import { insertPlants, newPlantText } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { migrationNames } from '../support/postgres/migrations.js';
import { startService } from '../support/service.js';

const run = promisify(execFile);
const operations = join(projectFolder, 'docs', 'operations');

interface Sourced {
  readonly datasource: { readonly uid: string };
}

interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly object[] };
  readonly panels: readonly (Sourced & {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly w: number };
    readonly targets: readonly (Sourced & { readonly refId: string; readonly expr: string })[];
  })[];
}

async function readDashboard(): Promise<Dashboard> {
  return JSON.parse(await readFile(join(operations, 'dashboard.json'), 'utf8'));
}

t.test('metrics tell what the service does', async (t) => {
  const databaseUrl = await makeDatabase(t);
  const database = new Database(databaseUrl, () => {});
  const readiness = new Readiness(databaseUrl, plantStore.neededTables);
  const versions = { build: readVersion(), contract: '1.0.0' };
  const ending = new AbortController();
  let keysAgeMs = Number.POSITIVE_INFINITY;
  const admin = makeAdmin({
    versions,
    checkReady: () => checkReady(readiness, ending.signal),
    newestMigration: () => readiness.newestMigration(),
    issuerKeysAgeMs: () => keysAgeMs,
    connections: () => database.connections,
    requestsWaiting,
    limits: { connections: 7, requestsInFlight: 6, databaseConnections: 5, longLists: maxLists.all },
    log: standardOutput.state,
  });
  const address = await admin.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(async () => {
    await admin.close();
    await Promise.all([database.close(), readiness.close()]);
  });
  const { call, token, address: service } = await startService(t, { databaseUrl });
  const scrape = async () => (await fetch(`${address}/metrics`)).text();
  /** The value of the line that begins so. */
  const read = async (series: string) => {
    const line = (await scrape()).split('\n').find((candidate) => candidate.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  };
  const requests = (labels: string) => read(`plant_store_request_duration_seconds_count{${labels}}`);

  await t.test('requests, by operation and status', async (t) => {
    await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Ficus"}') });
    await call('POST', '/plants', { body: newPlantText('{"id":1,"name":"Palm"}') });
    await call('GET', '/openapi.json');
    await until('they are counted', () => requests('operation="",status="200"'));
    t.equal(await requests('operation="createPlant",status="200"'), 1);
    t.equal(await requests('operation="createPlant",status="409"'), 1);
    t.equal(await read('plant_store_batch_size_count{work="create plants"}'), 2);
    t.equal(await read('plant_store_batch_wait_seconds_count{work="token"}'), 1);
    const statement = 'plant_store_statement_duration_seconds_count{statement="create a row of plants"}';
    t.equal(await read(statement), 2);
    t.ok(Number(await read('plant_store_database_connection_wait_seconds_count')) >= 3);
  });

  await t.test('refusals by reason, and errors of the database by class', async (t) => {
    await call('GET', '/plants', { token: 'wrong' });
    await call('GET', '/plants?limit=x');
    await fetch(`${service}/plants`);
    for (const [reason, count] of [
      ['InvalidTokenError', 1],
      ['InvalidRequestError', 1],
      ['FST_BEARER_AUTH_MISSING_AUTHORIZATION_HEADER', 1],
    ] as const)
      t.equal(await read(`plant_store_refusals_total{reason="${reason}"}`), count, reason);
    const count = () => read('plant_store_statement_duration_seconds_count{statement="a failure"}');
    await t.rejects(database.query({ name: 'a failure', text: 'SELECT 1 / 0' }));
    t.equal(await count(), 1, 'a statement that fails takes time, too');
    t.equal(await read('plant_store_database_errors_total{class="22"}'), 1);
    const nowhere = new Database('postgresql://127.0.0.1:1/nowhere', () => {});
    await t.rejects(nowhere.query({ text: 'SELECT 1' }));
    await nowhere.close();
    t.equal(await read('plant_store_database_errors_total{class="none"}'), 1);
  });

  await t.test('requests and long lists under way', async (t) => {
    await database.query({
      text: insertPlants("SELECT 'owner', id, repeat('x', 250) FROM generate_series(2, 60000) AS id"),
    });
    const headers = { authorization: `Bearer ${token}` };
    const list = get(`${service}/plants`, { agent: false, headers });
    await once(list, 'response');
    t.equal(await read('plant_store_long_lists'), 1);
    t.equal(await read('plant_store_requests_in_flight'), 1);
    list.destroy();
    await until('it is over', async () => (await read('plant_store_requests_in_flight')) === 0);
    await until('its place is free', async () => (await read('plant_store_long_lists')) === 0);
  });

  await t.test('a client that leaves without an answer', async (t) => {
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE plants');
    const lost = get(`${service}/plants`, { agent: false, headers: { authorization: `Bearer ${token}` } });
    lost.on('error', () => {});
    await until('it is there', async () => (await read('plant_store_requests_in_flight')) === 1);
    lost.socket?.resetAndDestroy();
    await until('it is counted', () => requests('operation="listPlants",status="unanswered"'));
    await holder.query('ROLLBACK');
    await holder.end();
    t.pass();
  });

  await t.test('the pool, the event loop, versions and readiness', async (t) => {
    t.equal(await read('plant_store_database_connections{state="idle"}'), 1);
    t.equal(await read('plant_store_database_connections{state="busy"}'), 0);
    t.equal(await read('plant_store_statements_waiting'), 0);
    t.equal(await read('plant_store_max_connections'), 7);
    t.equal(await read('plant_store_max_requests_in_flight'), 6);
    t.equal(await read('plant_store_max_database_connections'), 5);
    t.equal(await read('plant_store_max_long_lists'), maxLists.all);
    t.ok(await read('nodejs_eventloop_lag_p99_seconds'));
    t.equal(await read(`plant_store_info{build="${readVersion()}",contract="1.0.0"}`), 1);
    t.equal(await read('plant_store_ready'), 1);
    t.strictSame(await (await fetch(`${address}/ready`)).json(), { status: 'ready' });
    t.strictSame(await (await fetch(`${address}/live`)).json(), { status: 'live' });
    await database.query({ text: 'ALTER TABLE plants RENAME TO gone' });
    await until('it is not ready', async () => (await fetch(`${address}/ready`)).status === 503);
    t.strictSame(await (await fetch(`${address}/ready`)).json(), {
      status: 'not ready',
      reason: 'The database is not available: there is no table plants.',
    });
    t.equal(await read('plant_store_ready'), 0);
    await database.query({ text: 'ALTER TABLE gone RENAME TO plants' });
    await until('it is ready again', async () => (await fetch(`${address}/ready`)).status === 200);
    ending.abort();
    const ended = await fetch(`${address}/ready`);
    t.equal(ended.status, 503);
    t.strictSame(await ended.json(), { status: 'not ready', reason: 'the service is ending' });
    t.equal(await read('plant_store_ready'), 0);
  });

  await t.test('the newest migration that is applied, while the database answers', async (t) => {
    const migrations = async () => (await scrape()).match(/^plant_store_newest_migration_info\{.*$/gm);
    const newest = (await migrationNames()).at(-1);
    t.strictSame(await migrations(), [`plant_store_newest_migration_info{name="${newest}"} 1`]);
    await database.query({ text: "INSERT INTO plant_store_migrations VALUES ('9001-newer.sql')" });
    t.strictSame(await migrations(), ['plant_store_newest_migration_info{name="9001-newer.sql"} 1']);
    await database.query({ text: 'ALTER TABLE plant_store_migrations RENAME TO gone' });
    t.equal(await migrations(), null);
    await database.query({ text: 'ALTER TABLE gone RENAME TO plant_store_migrations' });
    await database.query({ text: "DELETE FROM plant_store_migrations WHERE name = '9001-newer.sql'" });
  });

  await t.test('the age of the keys of the issuer, without end as long as there are none', async (t) => {
    t.match(await scrape(), /^plant_store_issuer_keys_age_seconds \+Inf$/m);
    keysAgeMs = 301_500;
    t.equal(await read('plant_store_issuer_keys_age_seconds'), 301.5);
  });

  await t.test('promtool has nothing to say against them', { skip: missing('promtool') }, async (t) => {
    const ours = (await scrape()).split('\n').filter((line) => line.includes('plant_store'));
    const checked = run('promtool', ['check', 'metrics']);
    checked.child.stdin?.end(`${ours.join('\n')}\n`);
    await t.resolves(checked);
  });

  await t.test('the dashboard asks for metrics that there are', async (t) => {
    const queries = (await readDashboard()).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const names = new Set(queries.join(' ').match(/\b(?:plant_store|nodejs|process)_\w+/g));
    t.ok(names.size > 10);
    const scraped = await scrape();
    for (const name of names) t.ok(new RegExp(`^${name}[{ ]`, 'm').test(scraped), name);
  });

  const trace = () => {};
  events.on('refused', trace);
  await admin.close();
  t.ok(events.listeners('refused').includes(trace), 'traces go on');
});

t.test('the dashboard is one that Grafana can import', async (t) => {
  const { schemaVersion, templating, panels } = await readDashboard();
  t.type(schemaVersion, 'number');
  t.match(templating.list, [{ name: 'datasource', type: 'datasource', query: 'prometheus' }]);
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'ids differ');
  for (const { title, datasource, gridPos, targets } of panels) {
    for (const { uid } of [datasource, ...targets.map((target) => target.datasource)])
      t.match(uid, /^\$\{datasource\}$/, title);
    t.ok(gridPos.x + gridPos.w <= 24, `${title} fits into 24 columns`);
  }
});

t.test('the queries of the dashboard are PromQL', { skip: missing('promtool') }, async (t) => {
  const { panels } = await readDashboard();
  const rules = panels.flatMap(({ id, targets }) =>
    targets.map(({ refId, expr }) => ({
      record: `panel:${id}:${refId}`,
      // Grafana puts a duration there.
      expr: expr.replaceAll('$__rate_interval', '1m'),
    })),
  );
  const file = join(await makeFolder(t), 'rules.yml');
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  await t.resolves(run('promtool', ['check', 'rules', file]));
});

t.test('ADMIN_PORT opens a port for operators, until the end', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const server = await spawnServer(t, { DATABASE_URL, ADMIN_PORT: '0' });
  const [, address] = /\n {2}admin {2}(http:\S+)\/metrics\n/.exec(server.stderr()) ?? [];
  const metrics = await (await fetch(`${address}/metrics`)).text();
  t.match(metrics, 'plant_store_ready 1');
  t.match(metrics, `plant_store_newest_migration_info{name="${(await migrationNames()).at(-1)}"} 1`);
  t.notMatch(metrics, 'plant_store_issuer_keys_age_seconds', 'no JWTs are accepted');
  t.equal((await server.call('GET', '/metrics')).status, 404, 'which the other one does not have');
  const taken = launchServer(t, { DATABASE_URL, ADMIN_PORT: new URL(String(address)).port });
  t.equal(await taken.ended, 1);
  t.match(taken.stderr(), /ADMIN_PORT "\d+": address already in use\. Choose another with ADMIN_PORT=…/);
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
});

t.test('ADMIN_PORT is on 127.0.0.1 also if HOST is public, unless ADMIN_HOST says another', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const adminOf = async (settings: Readonly<Record<string, string>>) => {
    const server = await spawnServer(t, { DATABASE_URL, ADMIN_PORT: '0', ...settings });
    const [, address] = /\n {2}admin {2}(http:\S+)\/metrics\n/.exec(server.stderr()) ?? [];
    const { port } = new URL(String(address));
    // Linux listens on all of 127.0.0.0/8, so 127.0.0.2 is another address of this machine.
    const answers = ['127.0.0.1', '127.0.0.2'].map(async (host) =>
      fetch(`http://${host}:${port}/live`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return Promise.all(answers);
  };
  t.strictSame(await adminOf({ HOST: '0.0.0.0' }), [true, false]);
  t.strictSame(await adminOf({ ADMIN_HOST: '127.0.0.2' }), [false, true]);
  t.strictSame(await adminOf({ ADMIN_HOST: '0.0.0.0' }), [true, true]);
});
