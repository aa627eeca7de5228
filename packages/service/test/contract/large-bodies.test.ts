import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { contractFile } from '../../../kit/index.js';
import { spawnServer, until } from '../../../kit/testing.js';
import { TokenStore } from '../../src/access/token-store.js';
import { inTickOfItsOwn } from '../../src/contract/request/large-bodies.js';
import { Database } from '../../src/postgres/database.js';
import { newPlantText } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { startService } from '../support/service.js';

const limit = 65_536;

function head(token: string, length: number): string {
  const common = `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  return `${common}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** Connections, and how many of them have an answer, perhaps only with this status. */
async function connectMany(t: Test, port: number, count: number) {
  const answers: string[] = [];
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.on('data', (text: string) => answers.push(...(text.match(/(?<=^HTTP\/1\.1 )\d+/gm) ?? [])));
    socket.on('error', () => {});
    t.teardown(() => socket.destroy());
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return {
    sockets,
    answered: (status?: string) => answers.filter((one) => status === undefined || one === status).length,
  };
}

t.test('one large body is read in a tick', async (t) => {
  let tick = 0;
  let counting = true;
  const count = () => {
    tick++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const ticks: number[] = [];
  const read = (body: string) =>
    inTickOfItsOwn(() => {
      ticks.push(tick);
      return JSON.parse(body);
    });
  const results = await Promise.allSettled(['1', '{', '2'].map(read));
  counting = false;
  t.equal(new Set(ticks).size, 3);
  t.match(
    results,
    [{ value: 1 }, { reason: /JSON/ }, { value: 2 }],
    'one that fails does not hold up the next',
  );
});

t.test('large bodies that arrive together do not hold up another caller', async (t) => {
  const url = await makeDatabase(t);
  // A process of its own: here, it would take turns with its clients.
  const server = await spawnServer(t, { DATABASE_URL: url, LOG_LEVEL: 'warn' });
  const database = new Database(url, () => {});
  const tokens = new TokenStore(database);
  const token = await tokens.issue('owner');
  await database.close();
  t.equal((await server.call('GET', '/plants', { token })).status, 200);
  const body = `[1${',1'.repeat(limit / 2 - 2)} ]`;
  const { sockets, answered } = await connectMany(t, server.port, 200);
  const [quiet] = (await connectMany(t, server.port, 1)).sockets;
  if (quiet === undefined) throw new Error('There is no connection.');
  // All bodies become whole at the same moment.
  const text = head(token, body.length) + body;
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.write(text.slice(0, -1), resolve))),
  );
  for (const socket of sockets) socket.write(text.slice(-1));
  quiet.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(quiet, 'data');
  t.ok(answered('400') < sockets.length, `${answered('400')} of ${sockets.length} before it`);
  await until('all are answered', () => answered() === sockets.length);
  t.equal(answered('400'), sockets.length);
});

for (const [framing, headOf] of [
  ['of a known length', head],
  [
    'that are chunked, which count as the largest',
    (token: string) => head(token, 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked'),
  ],
] as const) {
  t.test(`bodies ${framing} have a bound, of which an owner leaves half to others`, async (t) => {
    const service = await startService(t);
    const other = await service.newCaller();
    t.equal((await other('GET', '/plants')).status, 200);
    const { sockets, answered } = await connectMany(t, service.port, 520);
    // 32 of 64 MiB, none of which is sent.
    for (const socket of sockets) socket.write(headOf(service.token, limit));
    await until('eight are refused', () => answered('503') >= 8);
    t.equal((await other('POST', '/plants', { body: newPlantText({ id: 1, name: 'x' }) })).status, 200);
    t.equal(answered('503'), 8);
    for (const socket of sockets) socket.destroy();
    await until('there is room again', async () => {
      const { status } = await service.call('POST', '/plants', { body: newPlantText({ id: 1, name: 'x' }) });
      if (status !== 503) t.equal(status, 200);
      return status !== 503;
    });
  });
}

t.test('a contract that allows a body of more than all bytes in flight is kept', async (t) => {
  const yaml = (await readFile(contractFile, 'utf8')).replace(/bytes: \d+/, 'bytes: 100000000');
  const folder = t.testdir({ 'plants.yaml': yaml });
  const service = await startService(t, { contractFile: join(folder, 'plants.yaml') });
  const { sockets, answered } = await connectMany(t, service.port, 1);
  const chunked = head(service.token, 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  const body = newPlantText({ id: 1, name: 'x' });
  sockets[0]?.write(`${chunked}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  await until('it is answered', () => answered() === 1);
  t.equal(answered('200'), 1);
});
