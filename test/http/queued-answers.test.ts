import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { events } from '../../src/events.js';
import { closeWithConnection } from '../../src/http/queued-answers.js';
import { untilLocked } from '../support/lock.js';
import { plantMany } from '../support/many-plants.js';
import { until } from '../support/process.js';
import { startService } from '../support/service.js';

/** The lists that one owner may read at the same time (src/storage/long-lists.ts). */
const places = 20;

async function startStore(t: Test) {
  const service = await startService(t);
  // The kernel keeps up to 4 MB of what a connection has not read.
  await plantMany(service.databaseUrl, 'owner', 6_000, '🌵'.repeat(240));
  const ask = (lists: number): Socket => {
    const socket = connect(service.port, '127.0.0.1').pause();
    socket.on('error', () => {});
    t.teardown(() => socket.destroy());
    const list = `GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;
    socket.write(list.repeat(lists));
    return socket;
  };
  const hasBegun = async (socket: Socket): Promise<boolean> => {
    await once(socket, 'readable');
    return String(socket.read()).startsWith('HTTP/1.1 200 ');
  };
  const lines = (part: string) =>
    service
      .log()
      .split('\n')
      .filter((line) => line.includes(part));
  /** Whether all places are free. */
  const allFree = async (): Promise<boolean> => {
    const readers = Array.from({ length: places }, () => ask(1));
    const begun = await Promise.all(readers.map(hasBegun));
    for (const reader of readers) reader.destroy();
    return begun.every(Boolean);
  };
  return { ...service, ask, hasBegun, lines, allFree };
}

t.test('lists that wait behind one on a connection that is reset give their places back', async (t) => {
  const { ask, hasBegun, lines, allFree } = await startStore(t);
  const connections = [];
  for (let lists = 0; lists < places - 2; lists += 3) connections.push(ask(3));
  for (const socket of connections) t.ok(await hasBegun(socket));
  for (const socket of connections) socket.resetAndDestroy();
  await until('all places are free', allFree);
  await until('each request has its line', () => lines('"url":"/plants"').length >= 3 * connections.length);
  t.strictSame(lines('"level":50'), []);
});

t.test('so they do whenever the reset comes, and none is logged as a failure of the server', async (t) => {
  const { ask, lines, allFree } = await startStore(t);
  for (let round = 0; round < 40; round++) {
    const socket = ask(3);
    await once(socket, 'connect');
    await pause(round % 20);
    socket.resetAndDestroy();
  }
  await until('all places are free', allFree);
  t.strictSame(lines('"level":50'), []);
});

t.test('an answer that Node.js has closed itself is not closed again', async (t) => {
  const socket = new Socket();
  const response = new ServerResponse(new IncomingMessage(socket));
  closeWithConnection(socket, response);
  let closed = 0;
  response.on('close', () => closed++);
  response.destroyed = true;
  socket.destroy();
  await once(socket, 'close');
  t.equal(closed, 0);
});

/** Holds up every plant operation of a service until `release`. */
async function startHeldUp(t: Test) {
  const service = await startService(t);
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants');
  let begun = 0;
  const count = () => begun++;
  events.on('requestBegan', count);
  t.teardown(() => events.off('requestBegan', count));
  /** How many requests have begun, after time enough to read more. */
  const begunMeanwhile = async (): Promise<number> => {
    const others = 40;
    for (let other = 0; other < others; other++) await service.call('GET', '/live');
    return begun - others;
  };
  const release = async (): Promise<void> => {
    await holder.query('ROLLBACK');
    await holder.end();
  };
  const head = (method: string, target: string, ...headers: string[]): string =>
    [
      `${method} ${target} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${service.token}`,
      ...headers,
      '\r\n',
    ].join('\r\n');
  const create = (id: number): string => {
    const body = JSON.stringify({ id, name: `plant ${id}` });
    return `${head('POST', '/plants', 'Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`;
  };
  /** Sends all in one write. */
  const send = (requests: readonly string[]) => {
    const socket = connect(service.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => {}).write(requests.join(''));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    return { socket, received: () => received };
  };
  return { ...service, begunMeanwhile, release, head, create, send };
}

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

t.test('few of many pipelined lists are worked on at once, and no more are read', async (t) => {
  const { databaseUrl, begunMeanwhile, release, head, send } = await startHeldUp(t);
  let accepted: Socket | undefined;
  subscribe('http.server.request.start', (message) => {
    // Documented: https://nodejs.org/api/diagnostics_channel.html#http
    accepted ??= (message as { socket: Socket }).socket;
  });
  const ids = Array.from({ length: 4_000 }, (_, number) => `list-${number}`);
  const padding = `X-Padding: ${'x'.repeat(200)}`;
  const { received } = send(ids.map((id) => head('GET', '/plants?limit=1', `X-Request-Id: ${id}`, padding)));
  await untilLocked(databaseUrl);
  t.equal(await begunMeanwhile(), 8);
  t.ok(Number(accepted?.bytesRead) < 200_000, `${accepted?.bytesRead} bytes were read`);
  await release();
  await until('all are answered', () => statuses(received()).length === ids.length);
  t.strictSame(new Set(statuses(received())), new Set([200]));
  t.strictSame(
    [...received().matchAll(/x-request-id: (\S+)/gi)].map(([, id]) => id),
    ids,
    'in order',
  );
});

t.test('RFC 9112, 9.3.2: beside a request that is not safe, none of its connection runs', async (t) => {
  const { databaseUrl, begunMeanwhile, release, head, create, send } = await startHeldUp(t);
  const requests = [create(1), create(2), head('GET', '/plants'), head('DELETE', '/plants/1'), create(1)];
  const { received } = send(requests);
  await untilLocked(databaseUrl);
  t.equal(await begunMeanwhile(), 1);
  await release();
  await until('all are answered', () => statuses(received()).length === requests.length);
  t.strictSame(statuses(received()), [200, 200, 200, 204, 200]);
});

t.test('RFC 9112, 9.3.2: pipelined requests act one after the other', async (t) => {
  const { call, send, head, create, release } = await startHeldUp(t);
  await release();
  const { received } = send(
    Array.from({ length: 100 }, (_, id) => [
      create(id),
      head('DELETE', `/plants/${id}`),
      head('GET', '/plants'),
      create(id),
      head('GET', `/plants?limit=${id + 1}`),
      head('GET', '/plants'),
      head('DELETE', `/plants/${id}`),
    ]).flat(),
  );
  await until('all are answered', () => statuses(received()).length === 700);
  t.strictSame(
    statuses(received()),
    Array.from({ length: 100 }, () => [200, 204, 200, 200, 200, 200, 204]).flat(),
  );
  const bodies = [...received().matchAll(/\r\n(\[[^\r]*\])/g)].map(([, body]) => JSON.parse(String(body)));
  t.strictSame(
    bodies.map((plants) => plants.length),
    Array.from({ length: 100 }, () => [0, 1, 1]).flat(),
  );
  t.equal((await call('GET', '/plants')).text, '[]');
});

t.test(
  'a request after one whose large body nobody reads is answered, and the end of its client seen',
  async (t) => {
    const { head, create, send, release } = await startHeldUp(t);
    await release();
    const body = JSON.stringify({ name: 'x'.repeat(46_000) });
    const large = `${head('DELETE', '/plants/1', `Content-Length: ${body.length}`)}${body}`;
    const { socket, received } = send([large, create(1)]);
    socket.end();
    await once(socket, 'end');
    t.strictSame(statuses(received()), [404, 200]);
  },
);

t.test('requests that wait when their connection is lost are never begun', async (t) => {
  const { port, token, databaseUrl, call } = await startService(t);
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants');
  const body = '{"id":1,"name":"Ficus"}';
  const create = (id: number) =>
    `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.replace('1', String(id))}`;
  const socket = connect(port, '127.0.0.1');
  socket.write(Array.from({ length: 9 }, (_, id) => create(id + 1)).join(''));
  await untilLocked(databaseUrl);
  socket.resetAndDestroy();
  await once(socket, 'close');
  // The server reads the reset before the answer to a later request.
  await call('GET', '/live');
  await holder.query('ROLLBACK');
  await holder.end();
  await until('the first is created', async () => (await call('DELETE', '/plants/1')).status === 204);
  t.equal((await call('DELETE', '/plants/9')).status, 404);
});
