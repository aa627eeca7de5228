import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextLoopTick } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { untilLocked } from '../../../kit/postgres.js';
import { spawnServer, until } from '../../../kit/testing.js';
import { TokenStore } from '../../src/access/token-store.js';
import { requestsWaiting } from '../../src/fairness/fair-queue.js';
import { events } from '../../src/observability/events.js';
import { Database } from '../../src/postgres/database.js';
import { newPlantText } from '../support/plants.js';
import { makeDatabase } from '../support/postgres/database.js';
import { startService } from '../support/service.js';

const path = '/plants?limit=1';
const ofOwner = 'Too many requests of yours are not answered yet: send fewer at a time.';

/** Whoever needs the table waits until the function is called. */
async function lock(t: Test, databaseUrl: string, table: string): Promise<() => Promise<unknown>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  t.teardown(() => holder.end());
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return () => holder.query('ROLLBACK');
}

/** Sends them at once, and resolves with the refusals as soon as there are so many. */
async function refusals<Answer extends { readonly status: number }>(
  sent: readonly Promise<Answer>[],
  count: number,
) {
  const refused: Answer[] = [];
  for (const answer of sent) void answer.then((it) => it.status === 503 && refused.push(it));
  await until(`${count} are refused`, () => refused.length >= count);
  return refused;
}

t.test(
  'one request in flight too many is a 503, and an owner leaves half of the rest to others',
  async (t) => {
    const service = await startService(t, { maxRequestsInFlight: 4 });
    const [alice, bob] = [await service.newCaller(), await service.newCaller()];
    // Its token is looked up before the lock.
    await Promise.all([alice('GET', path), bob('GET', path)]);
    const unlock = await lock(t, service.databaseUrl, 'plants');

    const ofAlice = Array.from({ length: 10 }, () => alice('GET', path));
    const [refused] = await refusals(ofAlice, 8);
    t.equal(refused?.headers.get('retry-after'), '1');
    t.match(refused?.body, { message: ofOwner });
    const ofBob = Array.from({ length: 10 }, () => bob('GET', path));
    await refusals(ofBob, 9);
    t.equal((await service.call('GET', '/live')).status, 200);

    await unlock();
    const statuses = (await Promise.all([...ofAlice, ...ofBob])).map(({ status }) => status);
    t.equal(statuses.filter((status) => status === 200).length, 3, 'those in flight are served');
    t.equal((await alice('GET', path)).status, 200, 'and have made room');
    t.match(service.log(), 'not available');
    t.notMatch(service.log(), /Database\w*Error/, 'PostgreSQL is well');
  },
);

/** Sends one, and resets the connection once the function is called. */
async function sendAndLeave(t: Test, port: number, token: string): Promise<() => Promise<unknown>> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  return () => {
    const ended = once(events, 'requestEnded');
    socket.resetAndDestroy();
    return ended;
  };
}

/** Opens a connection, which the service has accepted once this resolves. */
async function openConnection(t: Test, port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  socket.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

t.test('a client that leaves makes room once nobody works for it any more', async (t) => {
  const service = await startService(t, { maxRequestsInFlight: 2 });
  await service.call('GET', path);
  const unlock = await lock(t, service.databaseUrl, 'plants');
  const leave = await sendAndLeave(t, service.port, service.token);
  await untilLocked(service.databaseUrl);
  await leave();
  t.match((await service.call('GET', path)).body, { message: ofOwner }, 'its statement still runs');
  await unlock();
  await until('its slot is free', async () => (await service.call('GET', path)).status === 200);
});

t.test('however many clients send and leave, no more wait than there are slots', async (t) => {
  const service = await startService(t, { maxRequestsInFlight: 20 });
  await service.call('GET', path);
  const unlock = await lock(t, service.databaseUrl, 'plants');
  let most = 0;
  for (let sent = 0; sent < 60; sent++) {
    const leave = await sendAndLeave(t, service.port, service.token);
    await leave();
    most = Math.max(most, requestsWaiting());
  }
  t.match((await service.call('GET', path)).body, { message: ofOwner });
  t.ok(most > 0 && most <= 10, `${most} wait`);
  await unlock();
  const served = async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.call('GET', path)));
    return answers.every(({ status }) => status === 200);
  };
  await until('all slots are free', served);
});

t.test('nor if they leave while their bodies wait to be read', async (t) => {
  const service = await startService(t, { maxRequestsInFlight: 20 });
  await service.call('GET', path);
  const unlock = await lock(t, service.databaseUrl, 'plants');
  let most = 0;
  // Nobody knows in which tick the bodies have arrived and still wait.
  for (let ticks = 1; ticks <= 12; ticks++) {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openConnection(t, service.port)));
    // A body of more than some KiB waits for a tick of its own, so they leave before theirs is read.
    const body = newPlantText('{"id":7}').padEnd(60_000);
    const head = [
      ...['POST /plants HTTP/1.1', 'Host: x', 'Content-Type: application/json'],
      ...[`Authorization: Bearer ${service.token}`, `Content-Length: ${body.length}`],
    ];
    for (const socket of sockets) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    for (let tick = 0; tick < ticks; tick++) await nextLoopTick();
    for (const socket of sockets) socket.resetAndDestroy();
    await until('no body waits any more', async () => (await service.call('GET', '/live')).status === 200);
    most = Math.max(most, requestsWaiting());
  }
  t.ok(most <= 10, `${most} wait`);
  await unlock();
  await until('all slots are free', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.call('GET', path)));
    return answers.every(({ status }) => status === 200);
  });
});

t.test('a client that leaves while its token is looked up takes no room', async (t) => {
  const service = await startService(t, { maxRequestsInFlight: 1 });
  const unlock = await lock(t, service.databaseUrl, 'access_tokens');
  const leave = await sendAndLeave(t, service.port, service.token);
  await untilLocked(service.databaseUrl);
  await leave();
  await unlock();
  t.equal((await service.call('GET', path)).status, 200);
});

t.test('MAX_REQUESTS_IN_FLIGHT sets how many', async (t) => {
  const url = await makeDatabase(t);
  const server = await spawnServer(t, { DATABASE_URL: url, MAX_REQUESTS_IN_FLIGHT: '1' });
  const database = new Database(url, () => {});
  const token = await new TokenStore(database).issue('owner');
  await database.close();
  t.equal((await server.call('GET', path, { token })).status, 200);
  const unlock = await lock(t, url, 'plants');
  const sent = [server.call('GET', path, { token }), server.call('GET', path, { token })];
  const [refused] = await refusals(sent, 1);
  t.match(refused?.text, 'The service is busy: try again later.');
  await unlock();
  t.same((await Promise.all(sent)).map(({ status }) => status).sort(), [200, 503]);
});

t.test(
  'an owner whose bodies never come leaves connections to others, however few there may be',
  async (t) => {
    const url = await makeDatabase(t);
    const server = await spawnServer(t, { DATABASE_URL: url, MAX_CONNECTIONS: '8' });
    const database = new Database(url, () => {});
    const tokens = new TokenStore(database);
    const [greedy, token] = [await tokens.issue('greedy'), await tokens.issue('owner')];
    await database.close();
    const awaited = new Set<Socket>();
    for (let opened = 0; opened < 16; opened++) {
      const socket = connect(server.port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      awaited.add(socket);
      // The service may close it as one too many.
      socket.on('error', () => {}).on('close', () => awaited.delete(socket));
      socket.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
      socket.on('data', (answer) => String(answer).includes(ofOwner) && awaited.delete(socket));
      const head = [
        ...['POST /plants HTTP/1.1', 'Host: x', 'Content-Type: application/json'],
        ...[`Authorization: Bearer ${greedy}`, 'Content-Length: 10'],
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    }
    await until('another owner is served', async () => {
      const answer = await server.call('GET', path, { token }).catch(() => undefined);
      return answer?.status === 200;
    });
    t.ok(awaited.size > 0 && awaited.size < 8, `${awaited.size} bodies are still awaited`);
  },
);
