import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  launchServer,
  makeDataFolder,
  missing,
  postgresProcesses,
  programWithoutTap,
  spawnServer,
  until,
} from '../../packages/kit/testing.js';
import { makeDatabase } from '../../packages/service/test/support/postgres/database.js';

t.test('SIGTERM begins a drain, and a second one ends it', async (t) => {
  const server = await spawnServer(t, { DATABASE_URL: await makeDatabase(t), DRAIN_SECONDS: '3600' });
  t.equal((await server.call('GET', '/ready')).status, 200);
  // As npm does, which passes on a signal that its whole group got.
  server.child.kill('SIGTERM');
  server.child.kill('SIGTERM');
  await until('it is not ready', async () => (await server.call('GET', '/ready')).status === 503);
  const { status, headers } = await server.call('GET', '/live');
  t.strictSame([status, headers.get('connection')], [200, 'close']);
  await until('it says so', () => server.stdout().includes('"drainSeconds":3600,"msg":"ending"'));
  await until('it ends', () => server.child.kill('SIGTERM') === false || server.child.exitCode !== null);
  t.equal(await server.ended, 0);
  t.notMatch(server.stdout(), '"level":40', 'a /ready of 503 is no warning');
});

t.test('the end of the drain time does, too', async (t) => {
  const server = await spawnServer(t, { DATABASE_URL: await makeDatabase(t), DRAIN_SECONDS: '1' });
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
  t.match(server.stdout(), '"drainSeconds":1,"msg":"ending"');
});

t.test('SIGHUP without a terminal, as under nohup, does not end the service', async (t) => {
  const server = await spawnServer(t, { DATABASE_URL: await makeDatabase(t) });
  server.child.kill('SIGHUP');
  server.child.kill('SIGHUP');
  t.equal((await server.call('GET', '/ready')).status, 200);
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
});

/** Starts a program at a terminal, and closes that once the service is ready. */
const closeTerminal = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
shown = b''
while b'good for one day' not in shown: shown += os.read(terminal, 4096)
os.close(terminal)
os.waitpid(pid, 0)
`;

t.test(
  'a terminal that closes ends the service and its PostgreSQL',
  { skip: missing('python3') },
  async (t) => {
    const data = await makeDataFolder(t);
    const program = programWithoutTap('src/main.ts').flat();
    const child = spawn('python3', ['-c', closeTerminal, ...program], {
      env: { ...process.env, DATA_DIR: data, PORT: '0' },
      stdio: 'ignore',
    });
    await once(child, 'exit');
    // Not the exit code: Node.js 20 crashes as the last thing it does, because its terminal is gone.
    t.match(await readFile(join(data, 'postgres.log'), 'utf8'), /database system is shut down\n$/);
    t.strictSame(await postgresProcesses(data), []);
  },
);

t.test('a start that waits for its database says so once, and then what is wrong', async (t) => {
  const DATABASE_URL = 'postgresql://user:secret@127.0.0.1:1/plants';
  const sentence =
    'Cannot connect to PostgreSQL at host "127.0.0.1:1", database "plants": connection refused. Start PostgreSQL there, or correct DATABASE_URL.';
  const server = launchServer(t, { DATABASE_URL, DATABASE_WAIT_SECONDS: '5' });
  t.equal(await server.ended, 1);
  t.equal(server.stderr(), `${sentence} Trying again for 5 s.\n${sentence}\n`);

  const other = launchServer(t, { DATABASE_URL, DATABASE_WAIT_SECONDS: '3600' });
  await until('it waits', () => other.stderr() === `${sentence} Trying again for 3600 s.\n`);
  other.child.kill('SIGTERM');
  t.equal(await other.ended, 0, 'and ends at once if it is asked to');
  t.notMatch(other.stderr(), /\n./);
});
