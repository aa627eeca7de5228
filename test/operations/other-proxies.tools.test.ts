/** The table of docs/operations/proxies.md: each of its cells is what a client sees here. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as tls from 'node:tls';
import pg from 'pg';
import t, { type Test } from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { type Server, spawnServer, until } from '../../packages/kit/testing.js';
import { migrate, TokenStore } from '../../packages/service/layer.js';
import { plantMany } from '../../packages/service/test/support/many-plants.js';
import { newPlantText } from '../../packages/service/test/support/plants.js';
import { makeDatabase, openDatabase } from '../../packages/service/test/support/postgres/database.js';
import { plantStore } from '../../src/plant-store.js';
import { type CuttingGateway, startCuttingGateway } from './cutting-gateway.js';
import { missingProxy, pageLines, plainProxies, startPlainProxy } from './plain-proxies.js';
import { missingFor, proxies, startProxy } from './proxy.js';

const page = await readFile(join(projectFolder, 'docs', 'operations', 'proxies.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()));
/** More than the contract allows in a body, and more than fits the buffers of a proxy and a socket. */
const hugeBytes = 5_000_000;

/** Where a proxy listens. Those of docs/operations/proxies.md#nginx and #haproxy speak TLS. */
interface Front {
  readonly port: number;
  readonly isSecure: boolean;
  /** How many of the gateway's ports it uses. */
  readonly replicas: 1 | 2;
}

interface Client {
  send(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Seen>;
}

/** An answer, as far as it came. Without one, there is no status. */
interface Seen {
  readonly status: number | undefined;
  readonly text: string;
  readonly isWhole: boolean;
}

/** A client that keeps one connection to the proxy, and repeats nothing by itself. */
function makeClient(t: Test, { port, isSecure }: Front, token: string): Client {
  const { Agent, request } = isSecure ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  t.teardown(() => agent.destroy());
  return {
    async send(method, path, body, headers = {}) {
      const sent = request({
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        timeout: 30_000,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('error', () => {});
      sent.end(body);
      try {
        const [answer]: IncomingMessage[] = await once(sent, 'response');
        let received = '';
        answer?.setEncoding('utf8').on('data', (chunk) => {
          received += chunk;
        });
        const isWhole = await once(answer ?? sent, 'end').then(
          () => true,
          () => false,
        );
        return { status: answer?.statusCode, text: received, isWhole };
      } catch {
        return { status: undefined, text: '', isWhole: false };
      }
    },
  };
}

const outcome = ({ status }: Seen): string => (status === undefined ? 'no answer' : String(status));

const isOurs = ({ text }: Seen): boolean => text.startsWith('{"error":');

/** Deletes what an earlier row has left. */
async function deleteNew(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('DELETE FROM plants WHERE id < 0');
  await client.end();
}

/** Does what the columns of the table ask for, in their order. */
async function observe(
  t: Test,
  front: Front,
  gateway: CuttingGateway,
  replica: Server,
  token: string,
): Promise<string[]> {
  const client = makeClient(t, front, token);
  await until('it serves', async () => (await client.send('GET', '/live')).status === 200);
  const first = await client.send('GET', '/plants?limit=1');
  if (first.status === 401) return ['401'];
  /** Waits until the proxy uses each replica again after a failure, and has kept connections to them. */
  const warmUp = async () => {
    const before = gateway.counts();
    await until('it uses all replicas', async () => {
      const { status } = await client.send('GET', '/plants?limit=1');
      const isUsed = gateway.counts().map((count, at) => count > (before[at] ?? 0));
      return status === 200 && isUsed.slice(0, front.replicas).every(Boolean);
    });
  };

  await warmUp();
  gateway.cutNext('midway');
  const list = await client.send('GET', '/plants');
  const broken = list.isWhole && list.status === 200 ? 'looks whole' : 'breaks off';
  t.throws(() => JSON.parse(list.text), SyntaxError, 'its JSON is not whole');

  await warmUp();
  const huge = await client.send('POST', '/plants', 'x'.repeat(hugeBytes));
  const tooLarge = `${outcome(huge)}${huge.status === 413 && !isOurs(huge) ? ', its own' : ''}`;

  await client.send('POST', '/plants', newPlantText({ id: -8n, name: 'Ficus' }));
  await warmUp();
  const before = gateway.count('DELETE');
  gateway.cutNext('unanswered');
  const lost = await client.send('DELETE', '/plants/-8');
  const times = gateway.count('DELETE') - before === 1 ? 'once' : 'twice';
  const deleted = `${times}: ${outcome(lost)}`;

  await warmUp();
  gateway.cutNext('unsent');
  const read = outcome(await client.send('GET', '/plants?limit=1'));
  await warmUp();
  gateway.cutNext('unsent');
  const created = outcome(await client.send('POST', '/plants', newPlantText({ id: -9n, name: 'Fern' })));

  await warmUp();
  const expecting = await expectContinue(front, token);
  const odd = '/plants//%2D8';
  t.match(await client.send('DELETE', '/plants/-9223372036854775808'), { status: 404 });
  await client.send('DELETE', odd);
  const path = gateway.lastPath() === odd ? 'as sent' : String(gateway.lastPath());

  const draining = await drain(client, replica);
  return [broken, tooLarge, deleted, `${read}, ${created}`, draining, expecting, path];
}

/** Sends a body only after 100 (Continue), as RFC 9110, section 10.1.1 has it. */
async function expectContinue({ port, isSecure }: Front, token: string): Promise<string> {
  const body = newPlantText({ id: -10n, name: 'Palm' });
  const socket = isSecure
    ? tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : net.connect(port, '127.0.0.1');
  const headers = [
    'POST /plants HTTP/1.1',
    'Host: plants.example',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
    'Connection: close',
  ];
  socket.setTimeout(30_000, () => socket.destroy(new Error('no answer for 30 s')));
  socket.write(`${headers.join('\r\n')}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  const continues = String(first).startsWith('HTTP/1.1 100 ');
  if (continues) socket.write(body);
  const rest = await text(socket);
  const [, status = 'no answer'] = /HTTP\/1\.1 ([2-5]\d\d) /.exec(String(first) + rest) ?? [];
  return continues ? `100, ${status}` : status;
}

/** Asks on a kept connection while the replica drains. */
async function drain(client: Client, replica: Server): Promise<string> {
  replica.child.kill('SIGTERM');
  await until('it drains', async () => (await replica.call('GET', '/ready')).status === 503);
  const failures: string[] = [];
  for (let at = 0; at < 20; at++) {
    const id = -100n - BigInt(at);
    const created = await client.send('POST', '/plants', newPlantText({ id, name: 'Ivy' }));
    const listed = await client.send('GET', '/plants?limit=1');
    failures.push(...[created, listed].filter(({ status }) => status !== 200).map(outcome));
  }
  return failures.length === 0 ? 'served' : `fails: ${failures[0]}`;
}

t.test('what a client sees of each proxy, as docs/operations/proxies.md has it', async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  await migrate(DATABASE_URL, plantStore.migrationFolders);
  const database = openDatabase(t, DATABASE_URL);
  const token = await new TokenStore(database).issue('many');
  await plantMany(DATABASE_URL, 'many', 5_000);

  const seesItsRow = (
    name: string,
    lines: string,
    skip: string | false,
    start: (t: Test, gateway: CuttingGateway, replica: Server) => Promise<Front>,
  ) =>
    t.test(`${name}, ${lines}`, { skip }, async (t) => {
      await deleteNew(DATABASE_URL);
      const replica = await spawnServer(t, { DATABASE_URL, DRAIN_SECONDS: '5' });
      const gateway = await startCuttingGateway(t, replica.port);
      const front = await start(t, gateway, replica);
      const row = rows.find(([, proxy = '', of]) => proxy.startsWith(`${name} `) && of === lines) ?? [];
      t.strictSame(
        await observe(t, front, gateway, replica, token),
        row.slice(3, -1).filter((cell) => cell !== ''),
        'as its row says',
      );
    });

  for (const proxy of plainProxies) {
    const start =
      (lines: string) =>
      async (t: Test, { ports: [only] }: CuttingGateway) => ({
        port: await startPlainProxy(t, proxy, lines, only),
        isSecure: false,
        replicas: 1 as const,
      });
    await seesItsRow(proxy.name, 'none', missingProxy(proxy), start(proxy.plain(3001)));
    const lines = await pageLines(proxy);
    if (lines !== undefined)
      await seesItsRow(proxy.name, 'other-proxies.md', missingProxy(proxy), start(lines));
  }
  for (const proxy of proxies)
    await seesItsRow(proxy.name, 'below', missingFor(proxy), async (t, { ports }, { port }) => ({
      // HAProxy asks the replica itself whether it is ready, so that this request is not the one that is cut.
      ...(await startProxy(t, proxy, ports, [port, port])),
      isSecure: true,
      replicas: 2,
    }));
});
