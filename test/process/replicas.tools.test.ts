import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { check } from '../../packages/contract-tools/check.js';
import { readDocument } from '../../packages/contract-tools/index.js';
import {
  apply,
  Cleanup,
  contractFile,
  copyProject,
  endOfPlant,
  haproxyProgram,
  lastColumn,
  member,
  projectFolder,
  startHaproxy,
} from '../../packages/kit/index.js';
import {
  call,
  makeFolder,
  missing,
  ready,
  spawnServer,
  startProgram,
  until,
} from '../../packages/kit/testing.js';
import { wrkLoad } from '../../packages/lab/index.js';
import { TokenStore } from '../../packages/service/layer.js';
import { makeDatabase, openDatabase } from '../../packages/service/test/support/postgres/database.js';
import { migrationNames } from '../../packages/service/test/support/postgres/migrations.js';
import { runIn } from '../drift/run.js';

/** What docs/scale/replicas.md says of several processes on one database. */

t.setTimeout(600_000);

const withoutHaproxy = !existsSync(haproxyProgram) && 'haproxy is not installed';

async function tokensOf(t: Test, url: string): Promise<TokenStore> {
  const database = openDatabase(t, url);
  return new TokenStore(database);
}

async function findings(url: string, contract: string, tokens: readonly string[]): Promise<string[]> {
  const [token = '', otherToken = ''] = tokens;
  const report = await check({
    document: readDocument(await readFile(contract, 'utf8'), contract),
    url: new URL(url),
    token: { text: token, shell: '$PLANTS_TOKEN' },
    otherToken: { text: otherToken, shell: '$PLANTS_OTHER_TOKEN' },
    seed: 1,
  });
  return report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);
}

t.test(
  'four processes start at once on an empty database, and keep the contract behind HAProxy',
  { skip: withoutHaproxy },
  async (t) => {
    const DATABASE_URL = await makeDatabase(t);
    const replicas = await Promise.all(Array.from({ length: 4 }, () => spawnServer(t, { DATABASE_URL })));
    const client = new pg.Client(DATABASE_URL);
    await client.connect();
    const { rows } = await client.query('SELECT name FROM plant_store_migrations ORDER BY name');
    await client.end();
    t.strictSame(
      rows,
      (await migrationNames()).map((name) => ({ name })),
      'each migration was applied once',
    );

    const { port } = await startHaproxy(
      t,
      replicas.map((replica) => replica.port),
    );
    const balancer = `http://127.0.0.1:${port}`;
    const tokens = await tokensOf(t, DATABASE_URL);
    const owners = [await tokens.issue('one'), await tokens.issue('other')];
    await until('HAProxy has found them', async () => (await call(balancer, 'GET', '/ready')).status === 200);
    t.strictSame(await findings(balancer, contractFile, owners), []);
    for (const replica of replicas)
      t.ok(replica.stdout().split('"msg":"answered"').length > 100, 'each replica had its part');
  },
);

t.test(
  'HAProxy keeps a replica to which 990 clients connect at once',
  { skip: withoutHaproxy || missing('wrk') },
  async (t) => {
    const DATABASE_URL = await makeDatabase(t);
    const replica = await spawnServer(t, { DATABASE_URL, ADMIN_PORT: '0' });
    const [, admin = ''] = /^ +admin +(\S+)$/m.exec(replica.stderr()) ?? [];
    const { port } = await startHaproxy(t, [replica.port], [Number(new URL(admin).port)]);
    const balancer = `http://127.0.0.1:${port}`;
    await until('HAProxy has found it', async () => (await call(balancer, 'GET', '/ready')).status === 200);
    const cleanup = new Cleanup();
    t.teardown(() => cleanup.run());
    const send = wrkLoad(cleanup, 'wrk', await makeFolder(t));
    const tokens = [await (await tokensOf(t, DATABASE_URL)).issue('one')];
    const load = { kind: 'create', connections: 990, seconds: 4, firstId: 1, tokens } as const;
    // The file allows an address 1,000 connections.
    await t.resolves(send(balancer, load), 'no create is answered by "No replica is there"');
  },
);

t.test(
  'an old and a new version serve side by side, and clients of the old one notice nothing',
  async (t) => {
    const DATABASE_URL = await makeDatabase(t);
    const old = await spawnServer(t, { DATABASE_URL });
    const tokens = await tokensOf(t, DATABASE_URL);
    const [token, other, third] = await Promise.all(['a', 'b', 'c'].map((owner) => tokens.issue(owner)));
    const load = startLoad(old.address, String(third));
    t.teardown(() => load.stop());

    const folder = await makeFolder(t, join(projectFolder, '.tap'));
    await copyProject(folder);
    const required = member.yaml.replace('height:', 'width:');
    const changes = [
      { file: 'openapi/plants.yaml', old: endOfPlant, next: endOfPlant + member.yaml + required },
      { file: 'openapi/plants.yaml', old: 'required: [name]', next: 'required: [name, width]' },
      { file: 'openapi/plants.yaml', old: / \}(?=\n)(?<=name: .* \})/g, next: ', width: 1 }' },
      {
        file: 'src/plants/table.ts',
        old: lastColumn,
        next: `${lastColumn}${member.column}    width: 'integer',\n`,
      },
      {
        file: 'src/plants/migrations/0004-size.sql',
        old: '',
        next: `${member.migration}ALTER TABLE plants ADD "width" integer NOT NULL DEFAULT 0;`,
      },
    ];
    for (const edit of changes) await apply(folder, edit);
    t.match(await runIn(folder, ['scripts/codegen.ts']), { code: 0 });
    const main = join(folder, 'src', 'main.ts').slice(projectFolder.length + 1);
    const environment = { DATABASE_URL, PORT: '0', CHECK_ANSWERS: 'on', DRAIN_SECONDS: '0' };
    const next = await ready(startProgram(t, main, [], { environment }));

    const caller = { token: String(token) };
    const plant = { ...caller, body: '{"id":7,"name":"Ficus"}' };
    t.equal((await old.call('POST', '/plants', plant)).status, 200, 'stored by the old version');
    t.equal(
      (await next.call('GET', '/plants', caller)).text,
      '[{"name":"Ficus","width":0}]',
      'read by the new one',
    );
    const wide = { ...caller, body: '{"id":8,"name":"Fern","height":2,"width":3}' };
    t.equal((await next.call('POST', '/plants', wide)).status, 200, 'stored by the new version');
    t.equal(
      (await old.call('GET', '/plants', caller)).text,
      '[{"name":"Ficus"},{"name":"Fern"}]',
      'read by the old one',
    );
    const both = [String(token), String(other)];
    t.strictSame(await findings(old.address, contractFile, both), []);
    t.strictSame(await findings(next.address, join(folder, 'openapi', 'plants.yaml'), both), []);
    t.strictSame(await load.stop(), [], 'of the requests to the old version, none failed');
    t.ok(load.done > 100, `${load.done} requests`);

    const again = await spawnServer(t, { DATABASE_URL });
    t.equal(
      (await again.call('GET', '/ready')).status,
      200,
      'the old version starts on the new tables: a way back',
    );
  },
);

/** Creates, lists and deletes, one after the other. */
function startLoad(address: string, token: string) {
  const failures: string[] = [];
  let stopped = false;
  const load = { done: 0, stop: async () => failures };
  const send = async (expected: number, method: string, path: string, body?: string): Promise<void> => {
    const outcome = await call(address, method, path, { token, body }).then(({ status }) => status, String);
    if (outcome === expected) load.done++;
    else failures.push(`${method} ${path}: ${outcome}`);
  };
  const work = async (): Promise<void> => {
    for (let id = 1; !stopped; id++) {
      await send(200, 'POST', '/plants', `{"id":${id},"name":"Ficus"}`);
      await send(200, 'GET', '/plants?limit=1');
      await send(204, 'DELETE', `/plants/${id}`);
    }
  };
  const working = work();
  load.stop = async () => {
    stopped = true;
    await working;
    return failures;
  };
  return load;
}
