import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { untilLocked } from '../../../kit/postgres.js';
import { until } from '../../../kit/testing.js';
import { maxLists } from '../../src/fairness/long-lists.js';
import { maxUnanswered } from '../../src/http/connections.js';
import { events } from '../../src/observability/events.js';
import { plantMany } from '../support/many-plants.js';
import { newPlantText } from '../support/plants.js';
import { startService } from '../support/service.js';

/** The lists that one owner may read at the same time. */
const slots = maxLists.owner;

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
  /** Whether all slots are free. */
  const allFree = async (): Promise<boolean> => {
    const readers = Array.from({ length: slots }, () => ask(1));
    const begun = await Promise.all(readers.map(hasBegun));
    for (const reader of readers) reader.destroy();
    return begun.every(Boolean);
  };
  return { ...service, ask, hasBegun, lines, allFree };
}

t.test('lists that wait behind one on a connection that is reset give their slots back', async (t) => {
  const { ask, hasBegun, lines, allFree } = await startStore(t);
  const connections = [];
  for (let lists = 0; lists < slots - 2; lists += 3) connections.push(ask(3));
  for (const socket of connections) t.ok(await hasBegun(socket));
  for (const socket of connections) socket.resetAndDestroy();
  await until('all slots are free', allFree);
  await until('each request has its line', () => lines('"route":"/plants"').length >= 3 * connections.length);
  t.strictSame(lines('"level":50'), []);
});

t.test('so they do whenever the reset comes, and none is logged as a failure of the server', async (t) => {
  const { ask, lines, allFree } = await startStore(t);
  for (let round = 0; round < 40; round++) {
    const socket = ask(3);
    await once(socket, 'connect');
    for (let tick = 0; tick < round; tick++) await nextLoopTick();
    socket.resetAndDestroy();
  }
  await until('all slots are free', allFree);
  t.strictSame(lines('"level":50'), []);
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
    const body = newPlantText({ id, name: `plant ${id}` });
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

t.test('a connection with more unanswered requests than allowed is closed', async (t) => {
  const cuts: string[] = [];
  const note = (reason: string) => cuts.push(reason);
  events.on('connectionCut', note);
  t.teardown(() => events.off('connectionCut', note));
  const { databaseUrl, begunMeanwhile, release, head, send } = await startHeldUp(t);
  const lists = (count: number) => Array(count).fill(head('GET', '/plants?limit=1'));
  const allowed = send(lists(maxUnanswered));
  const refused = send(lists(maxUnanswered + 1));
  await once(refused.socket, 'close');
  t.strictSame([refused.received(), cuts], ['', ['pipelined']]);
  await untilLocked(databaseUrl);
  // One of each connection: the others wait in turn.
  t.equal(await begunMeanwhile(), 2);
  await release();
  await until('all are answered', () => statuses(allowed.received()).length === maxUnanswered);
  t.strictSame(new Set(statuses(allowed.received())), new Set([200]));
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

t.test(
  'RFC 9112, 9.3.2: create, delete and delete, sent together, keep their order 200 times of 200',
  async (t) => {
    const { call, send, head, create, release } = await startHeldUp(t);
    await release();
    const deletion = head('DELETE', '/plants/1');
    const { socket, received } = send([]);
    const rounds = 200;
    for (let round = 1; round <= rounds; round++) {
      socket.write(`${create(1)}${deletion}${deletion}`);
      await until('all are answered', () => statuses(received()).length === 3 * round);
    }
    t.strictSame(statuses(received()), Array(rounds).fill([200, 204, 404]).flat());
    t.equal((await call('GET', '/plants')).text, '[]');
  },
);

t.test(
  'a request after one whose large body nobody reads is answered, and the end of its client seen',
  async (t) => {
    const { head, create, send, release } = await startHeldUp(t);
    await release();
    const body = JSON.stringify({ name: 'x'.repeat(46_000) });
    const large = `${head('DELETE', '/plants/1', `Content-Length: ${body.length}`)}${body}`;
    const { socket, received } = send([large, create(1)]);
    await until('both are answered', () => statuses(received()).length === 2);
    t.strictSame(statuses(received()), [404, 200]);
    socket.end();
    await once(socket, 'close');
  },
);

t.test('requests that wait when their connection is lost are never begun', async (t) => {
  const { port, token, databaseUrl, call } = await startService(t);
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants');
  const create = (id: number) => {
    const body = newPlantText({ id, name: 'Ficus' });
    return `POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const socket = connect(port, '127.0.0.1');
  socket.write(Array.from({ length: 8 }, (_, id) => create(id + 1)).join(''));
  await untilLocked(databaseUrl);
  socket.resetAndDestroy();
  await once(socket, 'close');
  // The server reads the reset before the answer to a later request.
  await call('GET', '/live');
  await holder.query('ROLLBACK');
  await holder.end();
  await until('the first is created', async () => (await call('DELETE', '/plants/1')).status === 204);
  t.equal((await call('DELETE', '/plants/8')).status, 404);
});
