import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { closeWithConnection } from '../../src/http/queued-answers.js';
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
