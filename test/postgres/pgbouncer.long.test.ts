import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import { TokenStore } from '../../src/access/token-store.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/database.js';
import { temporaryFolder, until } from '../support/process.js';
import { startProxy } from '../support/proxy.js';
import { spawnServer } from '../support/server.js';

/** Debian's pgbouncer, or the one in the variable PGBOUNCER: 1.18.0 and 1.24.1 pass these tests. */
const program = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';
const version = Number(/PgBouncer (\d+\.\d+)/.exec(versionText())?.[1]);
const skip = !existsSync(program) && 'pgbouncer is not installed';

function versionText(): string {
  return existsSync(program) ? execFileSync(program, ['--version'], { encoding: 'utf8' }) : '';
}

async function listens(path: string): Promise<boolean> {
  const socket = connect(path);
  const taken = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return taken;
}

/** Starts pgbouncer with two server connections, each lent for one transaction; returns its URL. */
async function startPgbouncer(t: Test, databaseUrl: string): Promise<string> {
  // pgbouncer could not enter the folder of the tests' PostgreSQL socket.
  const proxy = await startProxy(t, databaseUrl);
  const { username, password, pathname, hostname, port } = new URL(proxy.url);
  const folder = await mkdtemp(join(temporaryFolder, 'bouncer-'));
  const server = `host=${hostname} port=${port} user=${username} password=${password}`;
  const settings = [
    `[databases]\n* = ${server}`,
    `[pgbouncer]\nunix_socket_dir = ${folder}\nlisten_port = 5432\nauth_type = any`,
    'pool_mode = transaction\ndefault_pool_size = 2',
    // Older versions do not know the setting, and only warn.
    version < 1.21 ? '' : 'max_prepared_statements = 100\n',
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings.join('\n'));
  // pgbouncer refuses to run as root; then it runs as nobody.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (user.uid !== undefined) for (const path of [folder, file]) await chown(path, user.uid, user.gid);
  const child = spawn(program, ['--quiet', file], { ...user, stdio: 'ignore' });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true });
  });
  await until('pgbouncer listens', () => listens(join(folder, '.s.PGSQL.5432')));
  return `postgresql://any@/${pathname.slice(1)}?host=${encodeURIComponent(folder)}`;
}

/** Clears the prepared statements of both server connections: each open transaction has one to itself. */
async function forgetNames(url: string): Promise<void> {
  const clients = [new pg.Client(url), new pg.Client(url)];
  await Promise.all(clients.map((client) => client.connect()));
  for (const client of clients) await client.query('BEGIN');
  for (const client of clients) await client.query('DEALLOCATE ALL');
  for (const client of clients) await client.query('COMMIT');
  await Promise.all(clients.map((client) => client.end()));
}

t.test('the service works behind pgbouncer in transaction mode', { skip }, async (t) => {
  const url = await startPgbouncer(t, await makeDatabase(t));
  const server = await spawnServer(t, { DATABASE_URL: url });
  const linesAbout = (what: string) =>
    server
      .stdout()
      .split('\n')
      .filter((line) => line.includes(what)).length;
  const database = new Database(url, () => {});
  t.teardown(() => database.close());
  const tokens = await Promise.all(['a', 'b', 'c'].map((owner) => new TokenStore(database).issue(owner)));

  const all = Array.from({ length: 300 }, (_, id) => ({ id, token: tokens[id % tokens.length] ?? '' }));
  const statuses = async (ask: (plant: (typeof all)[number]) => Promise<{ status: number }>) =>
    new Set((await Promise.all(all.map(ask))).map(({ status }) => status));
  const store = () =>
    statuses(({ id, token }) => server.call('POST', '/plants', { token, body: { id, name: 'Ficus' } }));
  t.strictSame(await store(), new Set([200]), 'stored');
  const line = 'prepared statements fail';
  // Debian 12 has 1.18; since 1.21, pgbouncer keeps prepared statements (max_prepared_statements).
  if (version < 1.21) {
    await until('a lost name is told of', async () => {
      await forgetNames(url);
      t.strictSame(await store(), new Set([200]), 'stored already');
      return linesAbout(line) > 0;
    });
  }
  await forgetNames(url);
  t.strictSame(await store(), new Set([200]), 'stored already');
  t.equal(linesAbout(line), version < 1.21 ? 1 : 0, `pgbouncer ${version}`);
  t.equal(linesAbout('unexpected failure'), 0);
  const [token = ''] = tokens;
  t.equal(JSON.parse((await server.call('GET', '/plants', { token })).text).length, 100);
  for (const status of [204, 404]) {
    t.strictSame(
      await statuses(({ id, token }) => server.call('DELETE', `/plants/${id}`, { token })),
      new Set([status]),
    );
  }
});

t.test('a statement that is stuck is cancelled through pgbouncer', { skip }, async (t) => {
  const url = await startPgbouncer(t, await makeDatabase(t));
  const database = new Database(url, () => {}, { statement: 500 });
  t.teardown(() => database.close());
  for (let i = 0; i < 4; i++) {
    await t.rejects(database.query({ text: 'SELECT pg_sleep(60)' }), { name: 'RolledBackError' });
  }
});
