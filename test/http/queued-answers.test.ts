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

t.test('few of many pipelined requests are worked on at once, and no more are read', async (t) => {
  const { port, token, databaseUrl, call } = await startService(t);
  let begun = 0;
  const count = () => begun++;
  events.on('requestBegan', count);
  t.teardown(() => events.off('requestBegan', count));
  let accepted: Socket | undefined;
  subscribe('http.server.request.start', (message) => {
    // Documented: https://nodejs.org/api/diagnostics_channel.html#http
    accepted ??= (message as { socket: Socket }).socket;
  });
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants');
  const creates = 4_000;
  const create = (id: number): string => {
    const body = `{"id":${id},"name":"plant ${id}","tag":"${'x'.repeat(200)}"}`;
    const head = ['POST /plants HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`];
    return [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join(
      '\r\n',
    );
  };
  const socket = connect(port, '127.0.0.1');
  socket.end(Array.from({ length: creates }, (_, id) => create(id)).join(''));
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk;
  });
  await untilLocked(databaseUrl);
  t.equal(begun, 8);
  for (let round = 0; round < 40; round++) await call('GET', '/live');
  t.ok(Number(accepted?.bytesRead) < 200_000, `${accepted?.bytesRead} bytes were read`);
  await holder.query('ROLLBACK');
  await holder.end();
  await until('all are answered', () => answers.match(/HTTP\/1\.1 200 /g)?.length === creates);
  t.strictSame(
    [...answers.matchAll(/"plant (\d+)"/g)].map(([, id]) => Number(id)),
    Array.from({ length: creates }, (_, id) => id),
    'in order',
  );
  socket.destroy();
});

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
