import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { newPlantText } from '../../scripts/kit/plants.js';
import { plantMany } from '../support/many-plants.js';
import { startOwnPostgres } from '../support/own-postgres.js';
import { until } from '../support/process.js';
import { startService } from '../support/service.js';

/**
 * A list of 10 MB cannot be sent before it is read: the kernel buffers up to 4 MB for a connection (measured;
 * net.ipv4.tcp_wmem).
 */
function plantTooMuch(databaseUrl: string, owner: string): Promise<void> {
  return plantMany(databaseUrl, owner, 10_000, '🌵'.repeat(240));
}

/** Requests a whole list with each token without reading on; returns once each list has begun. */
async function startReaders(t: Test, port: number, tokens: readonly string[]): Promise<Socket[]> {
  const readers = tokens.map((token) => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.write(`GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  });
  t.teardown(() => {
    for (const socket of readers) socket.destroy();
  });
  await Promise.all(
    readers.map(async (socket) => {
      await once(socket, 'readable');
      t.match(String(socket.read()).slice(0, 12), 'HTTP/1.1 200', 'it has begun');
    }),
  );
  return readers;
}

t.test('a client that does not read its list holds no database connection', async (t) => {
  const { call, token, port, databaseUrl } = await startService(t);
  await plantTooMuch(databaseUrl, 'owner');
  // More readers than there are connections.
  await startReaders(t, port, Array(20).fill(token));
  t.match(await call('POST', '/plants', { body: newPlantText('{"id":0,"name":"in between"}') }), {
    status: 200,
  });
  t.match(await call('GET', '/plants?limit=1'), { status: 200, body: [{ name: 'in between' }] });
});

t.test("an owner's long lists are limited, and one more is a 503 at once", async (t) => {
  const { call, newCaller, token, port, databaseUrl } = await startService(t);
  await plantTooMuch(databaseUrl, 'owner');
  const readers = await startReaders(t, port, Array(20).fill(token));
  const refused = await call('GET', '/plants');
  t.match(refused, { status: 503, body: { message: /^You are reading too many long lists/ } });
  t.equal(refused.headers.get('retry-after'), '1');
  t.equal((await call('GET', '/plants?limit=100')).status, 200, 'a short list is not among them');
  t.equal((await (await newCaller())('GET', '/plants')).status, 200, 'another owner has a bound of its own');
  readers.pop()?.destroy();
  await until('there is room again', async () => (await call('GET', '/plants?limit=101')).status === 200);
});

t.test('if PostgreSQL dies during a list, the transfer breaks off without its end', async (t) => {
  const cluster = await startOwnPostgres(t);
  const { token, port } = await startService(t, { databaseUrl: cluster.url });
  await plantMany(cluster.url, 'owner', 300_000);
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, 'readable');
  await cluster.stop();
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  await once(socket, 'close');
  const text = Buffer.concat(received).toString();
  t.match(text.slice(0, 15), 'HTTP/1.1 200 OK');
  t.ok(text.includes('"plant 1"'));
  t.notOk(text.includes('"plant 300000"'));
  t.notOk(
    text.endsWith('\r\n0\r\n\r\n'),
    'the chunk that ends a transfer (RFC 9112, section 7.1) is missing',
  );
});
