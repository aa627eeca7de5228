import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import t, { type Test } from 'tap';
import { untilLocked } from '../../../kit/postgres.js';
import { spawnServer, until } from '../../../kit/testing.js';
import { events } from '../../src/observability/events.js';
import { makeDatabase } from '../support/postgres/database.js';
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

function watchCuts(t: Test): { readonly cuts: string[]; open(): number | undefined } {
  const counts: number[] = [];
  const cuts: string[] = [];
  events.on('connections', (count) => counts.push(count)).on('connectionCut', (reason) => cuts.push(reason));
  t.teardown(() => events.removeAllListeners());
  return { cuts, open: () => counts.at(-1) };
}

t.test('if all places are taken, the connection that has been idle for longest is closed', async (t) => {
  const { cuts, open } = watchCuts(t);
  const { port } = await startService(t, { maxConnections: 2 });
  const first = await isServed(t, port);
  const second = await isServed(t, port);
  if (first === undefined || second === undefined) throw new Error('two connections are allowed');
  // Now the second one has been idle for longer.
  first.write(live);
  await once(first, 'data');
  const secondCloses = once(second, 'close');
  t.ok(await isServed(t, port), 'a third one is served');
  await secondCloses;
  first.write(live);
  t.match(String((await once(first, 'data'))[0]), /^HTTP\/1\.1 200 /);
  t.strictSame([open(), cuts], [2, ['too many']]);
});

t.test('a connection counts as idle since its answer, also if the body never ends', async (t) => {
  const { cuts } = watchCuts(t);
  const { port } = await startService(t, { maxConnections: 2 });
  const unfinished = 'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{';
  const refused = [open(t, port), open(t, port)];
  for (const socket of refused) {
    socket.write(unfinished);
    t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 401 /);
  }
  t.ok(await isServed(t, port), 'a third one is served');
  await until('the first one is closed', () => refused[0]?.destroyed);
  t.notOk(refused[1]?.destroyed);
  t.strictSame(cuts, ['too many']);
});

t.test('if none of them is idle, the new connection is closed', async (t) => {
  const { cuts, open: count } = watchCuts(t);
  const { port, token, databaseUrl } = await startService(t, { maxConnections: 1 });
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants');
  const busy = open(t, port);
  busy.write(`GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await untilLocked(databaseUrl);
  t.equal(await text(open(t, port)), '');
  t.strictSame([count(), cuts], [1, ['too many']]);
  await holder.end();
  t.match(String((await once(busy, 'data'))[0]), /^HTTP\/1\.1 200 /);
});

t.test('MAX_CONNECTIONS sets how many', async (t) => {
  const { port } = await spawnServer(t, { DATABASE_URL: await makeDatabase(t), MAX_CONNECTIONS: '1' });
  const first = await isServed(t, port);
  t.ok(await isServed(t, port));
  await until('the first one is closed', () => first?.destroyed);
});
