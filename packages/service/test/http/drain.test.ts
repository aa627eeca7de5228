import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { portOf } from '../../../contract-tools/base.js';
import { lockPlants, untilLocked } from '../../../kit/postgres.js';
import { endOf, until } from '../../../kit/testing.js';
import { insertPlants, newPlantText, plantText } from '../support/plants.js';
import { makeTables } from '../support/postgres/database.js';
import { type Service, startService } from '../support/service.js';

/** A service, and what tells it that it ends. */
async function startEnding(t: Test, databaseUrl?: string): Promise<Service & { end(): void }> {
  const ending = new AbortController();
  const service = await startService(t, {
    ending: ending.signal,
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  return { ...service, end: () => ending.abort() };
}

const head = ({ token }: Service, method: string, path: string, ...headers: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, ...headers, '', ''].join(
    '\r\n',
  );

/** A connection whose client leaves its side open. */
async function open(t: Test, { port }: Service): Promise<{ socket: Socket; received(): string }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return { socket, received: () => received };
}

const closings = (answers: string): boolean[] =>
  answers
    .split('HTTP/1.1 ')
    .slice(1)
    .map((answer) => /^connection: close\r$/im.test(answer));

const pipelinedCreates = (service: Service): string =>
  [1, 2, 3]
    .map((id) => {
      const body = newPlantText({ id, name: 'x' });
      const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
      return `${head(service, 'POST', '/plants', ...headers)}${body}`;
    })
    .join('');

/** A database whose list is so large that it fills the buffers of a connection that nobody reads. */
const manyPlants = await makeTables(
  t,
  insertPlants("SELECT 'owner', id, repeat('x', 255) FROM generate_series(1, 40000) AS id"),
);

t.test('a service that is ending is not ready, takes requests, and closes with each answer', async (t) => {
  const service = await startEnding(t);
  t.equal((await service.call('GET', '/ready')).status, 200);
  service.end();
  const ready = await service.call('GET', '/ready');
  t.equal(ready.status, 503);
  t.strictSame(ready.body, { error: 503, message: 'The service is ending: ask another one.' });
  t.equal(ready.headers.get('retry-after'), '1');
  t.equal((await service.call('GET', '/live')).status, 200);
  const created = await service.call('POST', '/plants', { body: newPlantText({ id: 1, name: 'Ficus' }) });
  t.equal(created.status, 200);
  t.equal(created.headers.get('connection'), 'close');
  t.equal((await service.call('DELETE', '/plants/1')).headers.get('connection'), 'close');
  t.equal((await service.call('PUT', '/plants')).headers.get('connection'), 'close');
});

t.test('no busy connection loses a request', async (t) => {
  const service = await startEnding(t);
  let answered = 0;
  const isLost = async (): Promise<boolean> => {
    const { socket, received } = await open(t, service);
    const isOver = endOf(once(socket, 'close'));
    for (let answers = 1; ; answers++) {
      socket.write(head(service, 'GET', '/plants?limit=1'));
      await until('the answer is here', () => isOver() || received().split('HTTP/1.1 200').length > answers);
      answered++;
      if (isOver() || closings(received()).at(-1)) return closings(received()).length < answers;
    }
  };
  const clients = Array.from({ length: 50 }, isLost);
  await until('they are busy', () => answered > 200);
  service.end();
  const lost = await Promise.all(clients);
  t.equal(lost.filter(Boolean).length, 0);
});

t.test('a load balancer that asks /ready during the drain causes no warning', async (t) => {
  const service = await startEnding(t);
  service.end();
  for (let asked = 0; asked < 3; asked++) t.equal((await service.call('GET', '/ready')).status, 503);
  await until('they are logged', () => service.log().split('"answered"').length > 3);
  t.notMatch(service.log(), /"level":[45]0/);
});

t.test('of pipelined requests, each is answered, and the last answer closes', async (t) => {
  const service = await startEnding(t);
  service.end();
  const { socket, received } = await open(t, service);
  socket.write(head(service, 'GET', '/plants').repeat(3));
  await once(socket, 'end');
  t.strictSame(closings(received()), [false, false, true]);
});

t.test('of pipelined creates, which run one after the other, too', async (t) => {
  const service = await startEnding(t);
  const { databaseUrl } = service;
  const creates = pipelinedCreates(service);
  const unlock = await lockPlants(databaseUrl);
  const before = await open(t, service);
  before.socket.write(creates);
  await untilLocked(databaseUrl);
  service.end();
  const after = await open(t, service);
  after.socket.write(creates);
  await untilLocked(databaseUrl, 2);
  const ends = [before, after].map(({ socket }) => once(socket, 'end'));
  await unlock();
  await Promise.all(ends);
  for (const { received } of [before, after]) {
    t.equal(received().match(/HTTP\/1\.1 200 /g)?.length, 3);
    t.strictSame(closings(received()), [false, false, true]);
  }
});

t.test('the answer to a request under way closes, too', async (t) => {
  const service = await startEnding(t);
  const { socket, received } = await open(t, service);
  const body = newPlantText({ id: 1, name: 'Ficus' });
  const headers = [
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  socket.write(head(service, 'POST', '/plants', ...headers));
  // The server has read the header.
  await once(socket, 'data');
  service.end();
  socket.write(body);
  await once(socket, 'end');
  t.match(received(), /HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n/i);
  t.ok(received().endsWith(plantText({ name: 'Ficus' })), 'the whole answer');
});

t.test('a list whose header was sent before is sent to its end, and the next answer closes', async (t) => {
  const service = await startEnding(t, manyPlants);
  const { socket, received } = await open(t, service);
  socket.write(head(service, 'GET', '/plants'));
  await until('the list has begun', () => received().includes('['));
  socket.pause();
  service.end();
  const isOver = endOf(once(socket, 'end'));
  socket.resume();
  await until('the list is here', () => isOver() || received().endsWith(']\r\n0\r\n\r\n'));
  t.notOk(isOver(), 'the list is whole');
  socket.write(head(service, 'GET', '/plants?limit=1'));
  await once(socket, 'end');
  t.strictSame(closings(received()), [false, true]);
});

t.test('what follows "Connection: close" on a connection is not carried out', async (t) => {
  const service = await startEnding(t, manyPlants);
  service.end();
  const { socket, received } = await open(t, service);
  socket.write(head(service, 'GET', '/plants'));
  await until('the list has begun', () => received().includes('['));
  socket.pause();
  socket.write(head(service, 'DELETE', '/plants/1'));
  // The DELETE has arrived once a request that came later is answered.
  t.equal((await service.call('DELETE', '/plants/2')).status, 204);
  t.equal((await service.call('DELETE', '/plants/1')).status, 204, 'it is still there');
  socket.resume();
  await once(socket, 'end');
  t.strictSame(closings(received()), [true]);
  t.ok(received().endsWith(']\r\n0\r\n\r\n'));
});

t.test('when the server closes, connections without a request end, without a reset', async (t) => {
  const service = await startEnding(t);
  t.equal(
    (await service.call('POST', '/plants', { body: newPlantText({ id: 1, name: 'Ficus' }) })).status,
    200,
  );
  const used = await open(t, service);
  used.socket.write(head(service, 'GET', '/plants?limit=1'));
  await until('it is answered', () => used.received().endsWith(']'));
  const unused = await open(t, service);
  const unusedEnds = once(unused.socket, 'end');
  service.end();
  const closed = service.close();
  await once(used.socket, 'end');
  // A request that crosses the end on its way.
  used.socket.end(head(service, 'DELETE', '/plants/1'));
  await once(used.socket, 'close');
  t.strictSame(closings(used.received()), [false]);
  await unusedEnds;
  // The other client never ends its side.
  await closed;
  const next = await startEnding(t, service.databaseUrl);
  t.equal((await next.call('DELETE', '/plants/1')).status, 204, 'that request was not carried out');
});

t.test('and a list that is being read is sent to its end', async (t) => {
  const service = await startEnding(t, manyPlants);
  const socket = connect(service.port, '127.0.0.1');
  socket.write(head(service, 'GET', '/plants'));
  await once(socket, 'readable');
  const closed = service.close();
  const received = await text(socket);
  t.ok(received.endsWith(']\r\n0\r\n\r\n'));
  await closed;
});

t.test('and pipelined creates are carried out, up to one whose answer closes', async (t) => {
  const service = await startEnding(t);
  const { databaseUrl } = service;
  const { socket, received } = await open(t, service);
  const unlock = await lockPlants(databaseUrl);
  socket.write(pipelinedCreates(service));
  await untilLocked(databaseUrl);
  service.end();
  const closed = service.close();
  const ended = once(socket, 'end');
  await unlock();
  await ended;
  t.strictSame(closings(received()), [false, true]);
  socket.end();
  await closed;
});

/** From 26 on, Node.js closes a connection without a request together with its server (nodejs/node#63470). */
async function doesNodeCloseNewOnes(): Promise<boolean> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect(portOf(server), '127.0.0.1');
  const [[accepted]] = await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
  server.close();
  const isClosed = accepted.destroyed;
  socket.destroy();
  return isClosed;
}

t.test('a connection that is new when the server closes may still send its first request', async (t) => {
  const expected = (await doesNodeCloseNewOnes()) ? [] : [true];
  // It has a second for it. A machine that is too busy for that tries again.
  await until('it is sent in time', async () => {
    const service = await startEnding(t);
    const begun = performance.now();
    const first = await open(t, service);
    service.end();
    const closed = service.close();
    await until('nobody can connect', () =>
      fetch(service.address).then(
        () => false,
        () => true,
      ),
    );
    if (!first.socket.readableEnded) first.socket.write(head(service, 'GET', '/live'));
    const isInTime = performance.now() - begun < 1_000;
    await until('it ends', () => first.socket.readableEnded || first.socket.destroyed);
    first.socket.end();
    await closed;
    if (isInTime) t.strictSame(closings(first.received()), expected);
    return isInTime;
  });
});
