import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startDatabaseProxy } from '../../packages/kit/index.js';
import { makeFolder, type Server, spawnServer, until } from '../../packages/kit/testing.js';
import { TokenStore } from '../../packages/service/layer.js';
import { insertPlants, newPlantText, plantText } from '../../packages/service/test/support/plants.js';
import { makeDatabase, openDatabase } from '../../packages/service/test/support/postgres/database.js';
import { migrationNames } from '../../packages/service/test/support/postgres/migrations.js';

/** Opens a connection that records all it receives. */
async function open(
  t: Test,
  { port }: Server,
): Promise<{ socket: Socket; received(): string; closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return { socket, received: () => text, closed };
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

t.test('the service with DATABASE_URL', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const data = join(await makeFolder(t), 'data');
  const servers = await Promise.all(
    Array.from({ length: 2 }, () => spawnServer(t, { DATABASE_URL, DATA_DIR: data })),
  );
  const [server, other] = servers;
  if (server === undefined || other === undefined) throw new Error('Two were started.');
  const database = openDatabase(t, DATABASE_URL);
  const token = await new TokenStore(database).issue('owner');

  t.test('replicas that start at the same time all serve, and use no embedded PostgreSQL', async (t) => {
    const { rows } = await database.query({
      text: 'SELECT count(*)::int AS migrations FROM plant_store_migrations',
    });
    t.strictSame(rows, [{ migrations: (await migrationNames()).length }]);
    t.equal(
      (await server.call('POST', '/plants', { token, body: newPlantText({ id: 1, name: 'one' }) })).status,
      200,
    );
    t.equal((await other.call('GET', '/plants', { token })).text, `[${plantText({ name: 'one' })}]`);
    t.match(server.stderr(), /\n {2}token {2}npm run --silent token -- issue OWNER\n/);
    t.notOk(await isThere(data));
  });

  t.test(
    'SIGTERM lets requests in flight finish: a body that is arriving, and a list that is being read',
    async (t) => {
      await database.query({
        text: insertPlants("SELECT 'owner', id, repeat('x', 255) FROM generate_series(2, 40000) AS id"),
      });
      const head = (method: string): string =>
        `${method} /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
      const create = await open(t, server);
      const body = newPlantText('{"id":0,"name":"zero"}');
      create.socket.write(
        `${head('POST')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
      );
      const list = await open(t, server);
      list.socket.write(`${head('GET')}\r\n`);
      await until('the list is being read', () => list.received().includes('['));
      list.socket.pause();

      server.child.kill('SIGTERM');
      await until('it does not listen any more', async () => {
        const socket = connect(server.port, '127.0.0.1');
        const refused = await Promise.race([
          once(socket, 'connect').then(() => false),
          once(socket, 'error').then(() => true),
        ]).catch(() => true);
        socket.destroy();
        return refused;
      });
      create.socket.write(body.slice(9));
      await create.closed;
      t.match(create.received(), /^HTTP\/1\.1 200 /);
      t.ok(create.received().endsWith(plantText({ name: 'zero' })));
      list.socket.resume();
      await list.closed;
      // t.match would print the whole list if it fails.
      t.ok(list.received().endsWith(']\r\n0\r\n\r\n'));
      t.equal(await server.ended, 0);
      const { rows } = await database.query({ text: 'SELECT name FROM plants WHERE id = 0' });
      t.strictSame(rows, [{ name: 'zero' }]);
    },
  );

  t.test('SIGTERM does not wait for ever for a client that sends nothing more', async (t) => {
    const slow = await open(t, other);
    slow.socket.write(
      `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    // Once a later request is answered, the earlier one has arrived.
    await other.call('GET', '/live');
    other.child.kill('SIGTERM');
    t.equal(await other.ended, 0);
    await slow.closed;
    t.match(other.stdout(), '"msg":"ending"', 'the last lines of the log are there');
  });
});

t.test('SIGTERM does not wait for ever for a database that has fallen silent', async (t) => {
  const { proxy, url: DATABASE_URL } = await startDatabaseProxy(t, await makeDatabase(t));
  const server = await spawnServer(t, { DATABASE_URL });
  t.equal((await server.call('GET', '/ready')).status, 200);
  proxy.silence();
  server.child.kill('SIGTERM');
  t.equal(await server.ended, 0);
});
