import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { TokenStore } from '../../src/access/token-store.js';
import { migrationFolders } from '../../src/parts.js';
import { Database } from '../../src/postgres/database.js';
import { migrate } from '../../src/postgres/migrations.js';
import { temporaryFolder, until } from '../support/process.js';
import { spawnServer } from '../support/server.js';

const run = promisify(execFile);
/** Debian's packages put each major version into a folder of its own here. */
const versions = '/usr/lib/postgresql';
const [version] = existsSync(versions) ? readdirSync(versions).sort().reverse() : [];
const skip = version === undefined && "Debian's PostgreSQL is not installed";

/** Starts Debian's PostgreSQL in a folder of its own. It refuses root; then it runs as nobody. */
async function startDebianPostgres(t: Test, programs: string): Promise<string> {
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const folder = await mkdtemp(join(temporaryFolder, 'debian-'));
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
  const environment = { cwd: folder, env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' }, ...user };
  await run(
    join(programs, 'initdb'),
    ['-D', folder, '-U', 'plants', '-A', 'trust', '-E', 'UTF8'],
    environment,
  );
  const server = spawn(join(programs, 'postgres'), ['-D', folder, '-k', folder, '-c', 'listen_addresses='], {
    ...environment,
    stdio: 'ignore',
  });
  t.teardown(async () => {
    server.kill('SIGINT');
    await once(server, 'exit');
    await rm(folder, { recursive: true });
  });
  await until('PostgreSQL listens', () => existsSync(join(folder, '.s.PGSQL.5432')));
  return `postgresql://plants@/postgres?host=${encodeURIComponent(folder)}`;
}

t.test(`the service works with Debian's PostgreSQL ${version ?? ''}`, { skip }, async (t) => {
  const url = await startDebianPostgres(t, join(versions, version ?? '', 'bin'));
  await until('PostgreSQL has started', async () =>
    migrate(url, migrationFolders).then(
      () => true,
      () => false,
    ),
  );
  const database = new Database(url, () => {});
  const token = await new TokenStore(database).issue('owner');
  await database.close();

  const environment = { DATABASE_URL: url, DATA_DIR: t.testdir() };
  const killed = await spawnServer(t, environment);
  const plant = { id: 7, name: 'Ficus', tag: 'tree' };
  t.equal((await killed.call('POST', '/plants', { token, body: plant })).status, 200);
  t.equal((await killed.call('POST', '/plants', { token, body: plant })).status, 200);
  t.equal((await killed.call('POST', '/plants', { token, body: { id: 7, name: 'Fern' } })).status, 409);
  killed.child.kill('SIGKILL');
  await killed.ended;

  const server = await spawnServer(t, environment);
  t.equal((await server.call('GET', '/plants', { token })).text, '[{"name":"Ficus","tag":"tree"}]');
  t.equal((await server.call('DELETE', '/plants/7', { token })).status, 204);
  t.equal((await server.call('DELETE', '/plants/7', { token })).status, 404);
  t.strictSame(readdirSync(environment.DATA_DIR), [], 'the embedded one is not touched');
});
