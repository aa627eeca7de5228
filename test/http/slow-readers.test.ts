import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import t, { type Test } from 'tap';
import { docsFiles } from '../../src/api-docs/docs-page.js';
import { events } from '../../src/observability/events.js';
import { untilLocked } from '../support/postgres/lock.js';
import { until } from '../support/programs/process.js';
import { plantMany } from '../support/service/many-plants.js';
import { startService } from '../support/service/service.js';

const cuts: string[] = [];
events.on('connectionCut', (reason) => cuts.push(reason));
t.beforeEach(() => cuts.splice(0));

function send(t: Test, port: number, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  socket.write(bytes);
  return socket;
}

/** Larger than what the kernel buffers, and not from the database. */
const pageScripts = (await docsFiles()).scripts.map(({ path }) => path);
const script = pageScripts.find((path) => path.endsWith('/swagger-ui-bundle.js'));
const { size: scriptBytes } = await stat(
  fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
);
const scripts = 8;
const askForScripts = `GET ${script} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(scripts);

t.test('a client that reads nothing is cut off, and its list gives its place back', async (t) => {
  const { port, token, databaseUrl, log } = await startService(t, { readers: { patienceMs: 1_000 } });
  await plantMany(databaseUrl, 'owner', 10_000, '🌵'.repeat(240));
  let lists = 0;
  const count = (now: number) => {
    lists = now;
  };
  events.on('longLists', count);
  t.teardown(() => events.off('longLists', count));
  const socket = send(t, port, `GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, 'readable');
  t.equal(lists, 1);
  await until('it is cut off', () => cuts.includes('slow'));
  await until('its place is free', () => lists === 0);
  await until('it is logged', () => log().includes('"msg":"answered in part"'));
  t.match(log(), /"unread":\d+,"msg":"cut a reader off"/);
  t.notMatch(log(), /"level":50/);
});

t.test('a list that waits for the database is not cut off, however long', async (t) => {
  const { port, databaseUrl, call } = await startService(t, { readers: { patienceMs: 500 } });
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE plants');
  const waiting = call('GET', '/plants');
  await untilLocked(databaseUrl);
  // Another one waits as long as that, and is cut off.
  send(t, port, askForScripts);
  await until('it is cut off', () => cuts.includes('slow'));
  await holder.query('ROLLBACK');
  await holder.end();
  t.equal((await waiting).status, 200);
  t.strictSame(cuts, ['slow']);
});

/** Reads 2 MB a second. */
function readSlowly(t: Test, socket: Socket, onBytes: (count: number) => void): void {
  const timer = setInterval(() => onBytes(socket.read(100_000)?.length ?? socket.read()?.length ?? 0), 50);
  t.teardown(() => clearInterval(timer));
}

t.test('so is a client that reads, but more slowly than it must', async (t) => {
  const { port } = await startService(t, { readers: { patienceMs: 1_000, minBytes: 2 ** 30 } });
  readSlowly(t, send(t, port, askForScripts), () => {});
  await until('it is cut off', () => cuts.includes('slow'));
});

t.test('a client that is slow, but not too slow, gets everything', async (t) => {
  const { port } = await startService(t, { readers: { patienceMs: 5_000, minBytes: 100_000 } });
  let bytes = 0;
  readSlowly(t, send(t, port, askForScripts), (count) => {
    bytes += count;
  });
  await until('it has all', () => bytes > scripts * scriptBytes);
  t.strictSame(cuts, []);
});
