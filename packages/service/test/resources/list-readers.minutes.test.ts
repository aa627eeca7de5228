import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { until } from '../../../kit/testing.js';
import { type ServedResource, serveResources } from '../support/resources.js';

/** Clients who request whole long lists, and do not read on. */

const forEachResource = await serveResources();

/**
 * An owner with a list of 10 MB, which cannot be sent before it is read: the kernel buffers up to 4 MB for a connection
 * (measured; net.ipv4.tcp_wmem).
 */
async function newOwnerOfTooMuch({ newOwner, insertMany }: ServedResource) {
  const owner = await newOwner();
  await insertMany(owner, 10_000, '🌵'.repeat(240));
  return owner;
}

/** Returns once each list has begun. */
async function startReaders(
  t: Test,
  { path, service }: ServedResource,
  token: string,
  count: number,
): Promise<Socket[]> {
  const readers = Array.from({ length: count }, () => {
    const socket = connect(service.port, '127.0.0.1').pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
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

forEachResource('a client that does not read its list holds no database connection', async (t, resource) => {
  const { path, item } = resource;
  const { call, token } = await newOwnerOfTooMuch(resource);
  // More readers than the other connections of the database.
  await startReaders(t, resource, token, 20);
  t.match(await call('POST', path, { body: item(20_000, 'in between') }), { status: 200 });
  t.match(await call('GET', `${path}?limit=1`), { status: 200, body: [{ name: /^item 1/ }] });
});

forEachResource("an owner's long lists are limited, and one more is a 503 at once", async (t, resource) => {
  const { path, newOwner } = resource;
  const { call, token } = await newOwnerOfTooMuch(resource);
  const readers = await startReaders(t, resource, token, 20);
  const refused = await call('GET', path);
  t.match(refused, { status: 503, body: { message: /^You are reading too many long lists/ } });
  t.equal(refused.headers.get('retry-after'), '1');
  t.equal((await call('GET', `${path}?limit=100`)).status, 200, 'a short list is not among them');
  t.equal((await (await newOwner()).call('GET', path)).status, 200, 'another owner has a bound of its own');
  readers.pop()?.destroy();
  await until('there is room again', async () => (await call('GET', `${path}?limit=101`)).status === 200);
});
