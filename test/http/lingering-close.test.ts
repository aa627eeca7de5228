import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { closeLingering } from '../../src/http/lingering-close.js';
import { startService } from '../support/service.js';

const { port, token } = await startService(t);
const megabyte = 2 ** 20;

const post = (...headers: string[]): string =>
  ['POST /plants HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, 'Content-Type: application/json']
    .concat(headers, '', '')
    .join('\r\n');

/** Sends this head and then zeros until the connection is gone. @returns the answer, and how many bytes went out */
async function flood(head: string, most: number): Promise<{ answer: string; sent: number }> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  let failed = false;
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {
    failed = true;
  });
  // Not closed at the end of the answer, as clients that first write all of their request.
  socket.allowHalfOpen = true;
  socket.write(head);
  const closed = once(socket, 'close').catch(() => {});
  const block = Buffer.alloc(megabyte);
  let sent = 0;
  while (sent < most && !socket.destroyed) {
    sent += megabyte;
    if (socket.write(block)) continue;
    const waiting = new AbortController();
    await Promise.race([once(socket, 'drain', waiting).catch(() => {}), closed]);
    waiting.abort();
  }
  socket.end();
  await closed;
  return { answer: failed && sent < most ? `${answer}RESET` : answer, sent };
}

t.test('who still sends a body of 20 MB reads the answer that refuses it', async (t) => {
  for (const framing of [
    `Content-Length: ${20 * megabyte}`,
    'Connection: close\r\nTransfer-Encoding: chunked',
  ]) {
    const { answer, sent } = await flood(post(framing), 20 * megabyte);
    t.match(answer, /^HTTP\/1\.1 4(?:13|00) [\s\S]*\r\nconnection: close\r\n[\s\S]*\}$/i, framing);
    t.equal(sent, 20 * megabyte);
  }
});

t.test('so does who sends too long a header, or no HTTP', async (t) => {
  for (const [head, status] of [
    ['GET / HTTP/1.1\r\nX: ', 400],
    ['no HTTP at all\r\n\r\n', 400],
  ] as const) {
    const { answer, sent } = await flood(head, 20 * megabyte);
    t.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
    t.equal(sent, 20 * megabyte);
  }
});

t.test("so do Node's own clients", async (t) => {
  const statuses = new Set<unknown>();
  for (let round = 0; round < 10; round++) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const asked = request({ port, method: 'POST', path: '/plants', headers });
    const answered = once(asked, 'response').then(([response]) => response.resume().statusCode);
    asked.end(Buffer.alloc(20 * megabyte));
    statuses.add(await answered.catch((error) => error.code));
  }
  t.strictSame([...statuses], [413]);
});

t.test('what is thrown away is bounded', async (t) => {
  const { sent } = await flood(post(`Content-Length: ${2 ** 40}`), 1_024 * megabyte);
  t.ok(sent < 256 * megabyte, `${sent / megabyte} MB`);
});

t.test('and so is the wait for a client that sends no more, and does not close', async (t) => {
  const own = await startService(t);
  const socket = connect({ port: own.port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  socket.write(post(`Content-Length: ${megabyte}`).replace(token, own.token));
  socket.resume();
  await once(socket, 'end');
  // It waits for all connections.
  await own.close();
});

async function openPair(t: Test) {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on a port, not on a socket file.
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => {
    client.destroy();
    server.close();
  });
  const [accepted]: Socket[] = await once(server, 'connection');
  if (accepted === undefined) throw new Error('no connection');
  return { accepted, client };
}

t.test('a connection that lingers is not closed by a second close', async (t) => {
  const { accepted, client } = await openPair(t);
  closeLingering(accepted);
  accepted.destroySoon();
  t.notOk(accepted.destroyed);
  client.resume().end();
  await once(accepted, 'close');
});

t.test('a connection that lingers is closed if its client goes silent', async (t) => {
  const { accepted, client } = await openPair(t);
  closeLingering(accepted);
  await once(accepted, 'close');
  t.notOk(client.writableEnded);
});
