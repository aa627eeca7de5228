import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import t, { type Test } from 'tap';
import {
  createDebianPostgres,
  debianEnvironment,
  debianVersion,
  runAsAccount,
  withoutDebianPostgres,
} from '../../packages/kit/postgres.js';
import {
  docsBlock,
  issueToken as issueEmbeddedToken,
  makeDataFolder,
  makeFolder,
  type Server,
  spawnServer,
  until,
} from '../../packages/kit/testing.js';
import { Database, TokenStore } from '../../packages/service/layer.js';
import { newPlantText, plantText } from '../../packages/service/test/support/plants.js';

const run = promisify(execFile);
const page = 'operations/backup.md';
const skip = withoutDebianPostgres;

/** When a plant's create was sent, and when it was answered 200, in milliseconds of the clock. */
interface Created {
  readonly id: number;
  readonly began: number;
  readonly acknowledged: number;
}

/** Creates plants on ten connections. */
function startLoad(server: Server, token: string) {
  const load = { created: [] as Created[], more: async (_count: number) => {}, stop: async () => {} };
  let stopped = false;
  let id = 0;
  const client = async () => {
    while (!stopped) {
      const own = ++id;
      const began = Date.now();
      const body = newPlantText({ id: own, name: `plant ${own}` });
      const status = await server.call('POST', '/plants', { token, body }).then(
        (answer) => answer.status,
        () => undefined,
      );
      if (status === 200) load.created.push({ id: own, began, acknowledged: Date.now() });
    }
  };
  const clients = Promise.all(Array.from({ length: 10 }, client));
  load.more = async (count) => {
    const enough = load.created.length + count;
    await until('there are more plants', () => load.created.length >= enough);
  };
  load.stop = async () => {
    stopped = true;
    await clients;
  };
  return load;
}

async function idsIn(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: string }>('SELECT id::text FROM plants ORDER BY id');
  await client.end();
  return rows.map(({ id }) => Number(id));
}

async function issueToken(url: string, owner: string): Promise<string> {
  const database = new Database(url, () => {});
  const token = await new TokenStore(database).issue(owner);
  await database.close();
  return token;
}

/** What was acknowledged before `from` must be there; what was begun after `to` must not. */
function checkPlants(
  t: Test,
  ids: readonly number[],
  created: readonly Created[],
  from: number,
  to = from,
): void {
  const there = new Set(ids);
  const before = created.filter(({ acknowledged }) => acknowledged < from);
  const after = created.filter(({ began }) => began > to);
  t.ok(before.length > 100 && after.length > 100, `${before.length} plants before, ${after.length} after`);
  t.strictSame(
    before.filter(({ id }) => !there.has(id)),
    [],
    'nothing that was acknowledged is missing',
  );
  t.strictSame(
    after.filter(({ id }) => there.has(id)),
    [],
    'nothing of later is there',
  );
}

t.test('backup and restore, as docs/operations/backup.md has it, under load', { skip }, async (t) => {
  const cluster = await createDebianPostgres(t);
  await cluster.start();
  const DATABASE_URL = cluster.url();
  const RESTORED = join(cluster.folder, 'restored');
  const environment = {
    DATABASE_URL,
    RESTORED,
    BACKUPS: join(cluster.folder, 'backups'),
    OLD_DATA: cluster.data,
  };
  /** Runs a block of the page in the account of PostgreSQL. */
  const follow = async (block: string, more: NodeJS.ProcessEnv = {}) =>
    runAsAccount(cluster.folder, ['bash', '--norc', '-euo', 'pipefail', '-c', block], {
      ...environment,
      ...more,
    });

  await follow(await docsBlock(page, 'Archive', 'sh'));
  await cluster.stop();
  await cluster.start();
  const server = await spawnServer(t, { DATABASE_URL });
  const token = await issueToken(DATABASE_URL, 'owner');
  const load = startLoad(server, token);
  await load.more(200);

  await t.test('a dump has what was acknowledged before', async (t) => {
    const NEW_DATABASE_URL = cluster.url('restored');
    const dump = await docsBlock(page, 'Dump', 'sh');
    const began = Date.now();
    await follow(dump);
    const ended = Date.now();
    await load.more(200);
    await follow(await docsBlock(page, 'Dump', 'sh', 2), { NEW_DATABASE_URL });
    const ids = await idsIn(NEW_DATABASE_URL);
    checkPlants(t, ids, load.created, began, ended);
    const restored = await spawnServer(t, { DATABASE_URL: NEW_DATABASE_URL });
    const list = await restored.call('GET', '/plants', { token });
    t.equal(JSON.parse(list.text).length, ids.length, 'the service serves them to the same token');
    restored.child.kill('SIGTERM');
    t.equal(await restored.ended, 0);
  });

  await t.test('an archive has every moment', async (t) => {
    await follow(await docsBlock(page, 'Base backup', 'sh'));
    await load.more(200);
    const moment = Date.now();
    await load.more(200);
    const lateToken = await issueToken(DATABASE_URL, 'owner');
    await follow('psql "$DATABASE_URL" --command="DELETE FROM plants"');
    await cluster.stop('SIGQUIT');
    await load.stop();

    t.teardown(() => follow('pg_ctl --pgdata="$RESTORED" --mode=immediate stop'));
    const NEW_DATABASE_URL = cluster.url('postgres', 5433);
    const TARGET_TIME = new Date(moment).toISOString().replace('T', ' ').replace('Z', '+00');
    await follow(await docsBlock(page, 'Restore to a moment', 'sh'), { TARGET_TIME });
    const isInRecovery = await docsBlock(page, 'Restore to a moment', 'sh', 2);
    await until('it is restored', async () => (await follow(isInRecovery, { NEW_DATABASE_URL })) === 'f\n');

    const ids = await idsIn(NEW_DATABASE_URL);
    checkPlants(t, ids, load.created, moment);
    const restored = await spawnServer(t, { DATABASE_URL: NEW_DATABASE_URL });
    const list = await restored.call('GET', '/plants', { token });
    t.equal(JSON.parse(list.text).length, ids.length, 'the service serves them to the same token');
    const plant = newPlantText({ id: -1, name: 'Ficus' });
    t.equal((await restored.call('POST', '/plants', { token, body: plant })).status, 200);
    t.equal(
      (await restored.call('GET', '/plants', { token: lateToken })).status,
      401,
      'later tokens are unknown',
    );
    restored.child.kill('SIGTERM');
    t.equal(await restored.ended, 0);
  });
});

t.test('the embedded PostgreSQL, as docs/operations/backup.md has it', { skip }, async (t) => {
  const DATA_DIR = await makeDataFolder(t);
  const BACKUPS = await makeFolder(t);
  const environment = { ...debianEnvironment, DATA_DIR, BACKUPS };
  const follow = (block: string, more: NodeJS.ProcessEnv = {}) =>
    run('bash', ['--norc', '-euo', 'pipefail', '-c', block], { env: { ...environment, ...more } });
  const plant = newPlantText({ id: 7, name: 'Ficus' });
  const server = await spawnServer(t, { DATA_DIR });
  const token = await issueEmbeddedToken(t, DATA_DIR);
  t.equal((await server.call('POST', '/plants', { token, body: plant })).status, 200);

  await t.test('moves to a PostgreSQL of its own', async (t) => {
    const cluster = await createDebianPostgres(t);
    await cluster.start();
    const DATABASE_URL = cluster.url();
    const maker = await spawnServer(t, { DATABASE_URL });
    maker.child.kill('SIGTERM');
    await maker.ended;
    const move = await docsBlock(page, 'Move to a PostgreSQL of your own', 'sh');
    await follow(move, { DATABASE_URL });
    const moved = await spawnServer(t, { DATABASE_URL });
    t.equal((await moved.call('GET', '/plants', { token })).text, `[${plantText({ name: 'Ficus' })}]`);
    t.ok(await issueToken(DATABASE_URL, 'another'), 'the next token has an id of its own');
    const url = move.split('\n').find((line) => line.startsWith('EMBEDDED_URL'));
    if (Number(debianVersion) < 18)
      await t.rejects(follow(`${url}\npg_dump "$EMBEDDED_URL"`), { message: /server version mismatch/ });
    moved.child.kill('SIGTERM');
    await moved.ended;
  });

  // Both are of the same version: the blocks are those that were tried from 17 to 18.
  await t.test('moves to another version', async (t) => {
    await follow(await docsBlock(page, 'Another version', 'sh'));
    const newer = { DATA_DIR: await makeDataFolder(t) };
    const moved = await spawnServer(t, newer);
    await issueEmbeddedToken(t, newer.DATA_DIR);
    await follow(await docsBlock(page, 'Another version', 'sh', 2), newer);
    t.equal((await moved.call('GET', '/plants', { token })).text, `[${plantText({ name: 'Ficus' })}]`);
    t.ok(await issueEmbeddedToken(t, newer.DATA_DIR), 'the next token has an id of its own');
    moved.child.kill('SIGTERM');
    t.equal(await moved.ended, 0);
  });

  await t.test('is copied while it is stopped', async (t) => {
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    await follow(await docsBlock(page, 'The embedded PostgreSQL', 'sh'));
    await access(join(BACKUPS, 'data'));
    const copy = await spawnServer(t, { DATA_DIR: join(BACKUPS, 'data') });
    t.equal((await copy.call('GET', '/plants', { token })).text, `[${plantText({ name: 'Ficus' })}]`);
    copy.child.kill('SIGTERM');
    t.equal(await copy.ended, 0);
  });
});
