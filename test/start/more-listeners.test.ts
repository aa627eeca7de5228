import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { newPlantText } from '../../scripts/kit/plants.js';
import { TokenStore } from '../../src/access/token-store.js';
import { Database } from '../../src/postgres/database.js';
import { makeDatabase } from '../support/database.js';
import { until } from '../support/process.js';
import { spawnServer } from '../support/server.js';

/** In the state LISTEN (Linux: include/net/tcp_states.h). */
async function listenersOn(port: number): Promise<number> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines.filter((line) => line.includes(local) && /^\s*\d+: \S+ \S+ 0A /.test(line)).length;
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canShare = major > 22 || (major === 22 && minor >= 12);
const skip = process.platform !== 'linux' && 'listeners share a port on Linux only';

t.test(
  'sixteen listeners accept connections if Node.js can share a port, and end with the service',
  { skip },
  async (t) => {
    const server = await spawnServer(t, { DATABASE_URL: await makeDatabase(t) });
    const { port } = server;
    t.equal(await listenersOn(port), canShare ? 16 : 1);
    // The kernel chooses the listener by the client's port.
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => server.call('GET', '/live', { headers: { connection: 'close' } })),
    );
    t.ok(answers.every(({ status }) => status === 200));
    server.child.kill('SIGTERM');
    t.equal(await server.ended, 0);
    t.equal(await listenersOn(port), 0);
  },
);

t.test('the end waits for requests in flight on connections of every listener', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const server = await spawnServer(t, { DATABASE_URL });
  const database = new Database(DATABASE_URL, () => {});
  t.teardown(() => database.close());
  const token = await new TokenStore(database).issue('owner');
  const clients = await Promise.all(
    Array.from({ length: 64 }, async (_, id) => {
      const body = newPlantText(`{"id":${id},"name":"plant"}`);
      const client = connect(server.port, '127.0.0.1');
      t.teardown(() => client.destroy());
      client.write(
        `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      const [answer] = await once(client, 'data');
      t.match(String(answer), 'HTTP/1.1 100 ');
      return { body, client, answer: text(client) };
    }),
  );
  server.child.kill('SIGTERM');
  await until('nobody listens', async () => (await listenersOn(server.port)) === 0);
  // One after the other, so that the first listener's have ended before most others'.
  for (const { body, client, answer } of clients) {
    client.end(body);
    t.match(await answer, /^HTTP\/1\.1 200 /);
  }
  t.equal(await server.ended, 0);
});
