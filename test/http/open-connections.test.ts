import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { events } from '../../src/events.js';
import { makeDatabase } from '../support/database.js';
import { until } from '../support/process.js';
import { spawnServer } from '../support/server.js';
import { startService } from '../support/service.js';

const live = 'GET /live HTTP/1.1\r\nHost: x\r\n\r\n';

function open(t: Test, port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  return socket;
}

function closed(socket: Socket): AbortSignal {
  const controller = new AbortController();
  socket.once('close', () => controller.abort());
  return controller.signal;
}

async function isServed(t: Test, port: number): Promise<Socket | undefined> {
  const socket = open(t, port);
  socket.write(live);
  // A closed connection may also be reset, as the request is not read.
  const [answer] = await once(socket, 'data', { signal: closed(socket) }).catch(() => []);
  return String(answer).startsWith('HTTP/1.1 200 ') ? socket : undefined;
}

t.test('one connection more than allowed is closed at once, and counted', async (t) => {
  const counts: number[] = [];
  const cuts: string[] = [];
  events.on('connections', (count) => counts.push(count)).on('connectionCut', (reason) => cuts.push(reason));
  t.teardown(() => events.removeAllListeners());
  const { port } = await startService(t, { maxConnections: 2 });
  const first = await isServed(t, port);
  t.ok(first);
  t.ok(await isServed(t, port));
  t.equal(await text(open(t, port)), '');
  t.strictSame([counts.at(-1), cuts], [2, ['too many']]);
  first?.destroy();
  await until('it is gone', () => counts.at(-1) === 1);
  t.ok(await isServed(t, port), 'there is room again');
});

t.test('MAX_CONNECTIONS sets how many', async (t) => {
  const { port } = await spawnServer(t, { DATABASE_URL: await makeDatabase(t), MAX_CONNECTIONS: '1' });
  t.ok(await isServed(t, port));
  t.notOk(await isServed(t, port));
});
