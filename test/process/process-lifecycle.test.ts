import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { portOf } from '../../packages/contract-tools/base.js';
import {
  issueToken,
  killPostgres,
  launchServer,
  makeDataFolder,
  postgresProcesses,
  type Server,
  spawnServer,
  startProgram,
  until,
} from '../../packages/kit/testing.js';
import { newPlantText, plantText } from '../../packages/service/test/support/plants.js';

t.test('the service with its embedded PostgreSQL', async (t) => {
  const data = await makeDataFolder(t);
  const plant = (id: number) => newPlantText({ id, name: `plant ${id}` });

  const first = await spawnServer(t, { DATA_DIR: data });
  const token = await issueToken(t, data);
  t.test(
    'the service prints its address and how to get a token to stderr, and logs JSON to stdout',
    async (t) => {
      t.match(
        first.stderr(),
        /^\nPlant Store is ready at http:\/\/127\.0\.0\.1:(\d+)\n {2}docs {3}http:\/\/127\.0\.0\.1:\1\/docs\n {2}data {3}\S+\n {2}token {2}npm run --silent token -- issue OWNER\n\n$/,
      );
      t.equal((await first.call('POST', '/plants', { token, body: plant(1) })).status, 200);
      await until('the request is logged', () => first.stdout().includes('"answered"'));
      for (const line of first.stdout().trimEnd().split('\n')) t.type(JSON.parse(line), 'object');
      t.notMatch(first.stdout(), token);
    },
  );

  const issued = startProgram(t, 'src/main.ts', ['token', 'issue', 'other'], {
    environment: { DATA_DIR: data },
  });
  t.equal(await issued.ended, 0);
  const other = issued.stdout().trim();

  t.test('a second start in the same folder is refused without disturbing the first', async (t) => {
    const second = launchServer(t, { DATA_DIR: data });
    t.equal(await second.ended, 1);
    t.equal(
      second.stderr(),
      `Another process uses the database in ${data}: stop it, or set DATA_DIR to another folder.\n`,
    );
    t.equal((await first.call('POST', '/plants', { token: other, body: plant(2) })).status, 200);
    t.equal((await first.call('GET', '/ready')).status, 200);
  });

  const everything = async (t: Test, server: Server): Promise<void> => {
    t.equal((await server.call('GET', '/plants', { token })).text, `[${plantText({ name: 'plant 1' })}]`);
    t.equal(
      (await server.call('GET', '/plants', { token: other })).text,
      `[${plantText({ name: 'plant 2' })}]`,
    );
  };

  t.test('a service takes over the PostgreSQL of a service that was killed', async (t) => {
    const [before] = await postgresProcesses(data);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await spawnServer(t, { DATA_DIR: data });
    t.equal((await postgresProcesses(data))[0], before);
    await everything(t, second);
    // Kills the service together with its PostgreSQL.
    second.child.kill('SIGKILL');
    await killPostgres(data);
    await second.ended;
  });

  t.test('a service recovers data after a crash, and restarts its PostgreSQL when that dies', async (t) => {
    const server = await spawnServer(t, { DATA_DIR: data });
    await everything(t, server);
    // As long as this file is broken, PostgreSQL cannot start.
    const control = join(data, 'postgres', 'global', 'pg_control');
    const content = await readFile(control);
    await writeFile(control, 'broken');
    await killPostgres(data);
    await until('it is known to be down', () => server.stdout().includes('the embedded PostgreSQL is down'));
    for (const [method, path] of [
      ['GET', '/plants'],
      ['DELETE', '/plants/1'],
      ['GET', '/ready'],
    ] as const) {
      const { status, headers } = await server.call(method, path, { token });
      t.equal(status, 503, `${method} ${path}`);
      t.equal(headers.get('retry-after'), '1');
    }
    t.equal((await server.call('GET', '/plants', { token: other })).status, 503, 'and never a 401');
    t.equal((await server.call('GET', '/live')).status, 200);
    await writeFile(control, content);
    await until('it serves again', async () => (await server.call('GET', '/ready')).status === 200);
    await everything(t, server);
    for (const once of ['lost a database connection', 'the embedded PostgreSQL was restarted'])
      await until(`it says once: ${once}`, () => server.stdout().split(once).length === 2);

    server.child.kill('SIGINT');
    // npm, for example, passes on a signal that the terminal has sent to all processes already.
    server.child.kill('SIGINT');
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    t.strictSame(await postgresProcesses(data), []);
    t.match(await readFile(join(data, 'postgres.log'), 'utf8'), /database system is shut down\n$/);
  });

  t.test('a service that is told to end while it starts ends cleanly', async (t) => {
    const server = launchServer(t, { DATA_DIR: data });
    await until('PostgreSQL starts', async () => (await postgresProcesses(data)).length > 0);
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    t.strictSame(await postgresProcesses(data), []);
  });

  t.test('a part of the service that cannot be closed does not keep the others open', async (t) => {
    const fail = `process.once('SIGTERM', () => {
      const { clearInterval } = globalThis;
      globalThis.clearInterval = () => {
        globalThis.clearInterval = clearInterval;
        throw new Error('stuck');
      };
    });`;
    const options = ['--import', `data:text/javascript,${encodeURIComponent(fail)}`];
    const server = await spawnServer(t, { DATA_DIR: data }, { options });
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    t.match(server.stderr(), 'Error: stuck');
    t.strictSame(await postgresProcesses(data), []);
  });

  t.test('a start reports a port that is in use before it starts its PostgreSQL', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    t.teardown(() => taken.close());
    const port = portOf(taken);
    const before = await readFile(join(data, 'postgres.log'), 'utf8');
    const server = launchServer(t, { DATA_DIR: data, PORT: String(port) });
    t.equal(await server.ended, 1);
    t.equal(
      server.stderr(),
      `Cannot listen on HOST "127.0.0.1", PORT "${port}": address already in use. Choose another with PORT=…, or any that is free with PORT=0.\n`,
    );
    t.equal(await readFile(join(data, 'postgres.log'), 'utf8'), before, 'which was not even started');
  });

  t.test('a service ignores the environment variables of node-postgres and PostgreSQL', async (t) => {
    const server = await spawnServer(t, {
      DATA_DIR: data,
      PGPORT: '1',
      PGHOST: 'elsewhere',
      PGSSLMODE: 'require',
      PGUSER: 'somebody',
      PGDATA: '/nowhere',
      LOG_LEVEL: 'silent',
    });
    t.equal((await server.call('GET', '/ready')).status, 200);
    t.equal((await server.call('GET', '/plants', { token })).status, 200);
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    t.equal(server.stdout(), '', 'with LOG_LEVEL "silent", it logs nothing');
  });
});
