import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import t from 'tap';
import { fixedPorts } from '../../packages/kit/index.js';
import {
  makeFolder,
  missing,
  restartInTurn,
  type Server,
  spawnServer,
  until,
} from '../../packages/kit/testing.js';
import { migrate, TokenStore } from '../../packages/service/layer.js';
import { plantMany } from '../../packages/service/test/support/many-plants.js';
import { newPlantText, plantText } from '../../packages/service/test/support/plants.js';
import { makeDatabase, openDatabase } from '../../packages/service/test/support/postgres/database.js';
import { plantStore } from '../../src/plant-store.js';
import { hostName, missingFor, proxies, startProxy } from './proxy.js';

const run = promisify(execFile);
/** The proxy's client, so that it differs from the proxy. */
const clientAddress = '127.0.0.2';
const largestBody = 65_536;
const manyPlants = 100_000;

interface Got {
  readonly version: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** curl, as a client with only this authority. */
function makeCurl(port: number, authority: string) {
  const common = ['--silent', '--show-error', '--cacert', authority, '--interface', clientAddress];
  const address = ['--resolve', `${hostName}:${port}:127.0.0.1`];
  return async (path: string, ...parameters: string[]): Promise<Got> => {
    const written = ['--write-out', '%{stderr}%{http_version} %{http_code} %{header_json}'];
    const { stdout, stderr } = await run(
      'curl',
      [...common, ...address, ...written, ...parameters, `https://${hostName}:${port}${path}`],
      { maxBuffer: 64 * 2 ** 20 },
    );
    const [, version = '', status, headers = ''] = /^(\S+) (\d+) (.*)$/s.exec(stderr) ?? [];
    return { version, status: Number(status), text: stdout, headers: JSON.parse(headers) };
  };
}

/** Creates, lists and deletes, each client on an HTTP/2 connection. Nothing is sent twice. */
async function startLoad(port: number, authority: string, token: string) {
  const ca = await readFile(authority);
  const open = () =>
    connect(`https://${hostName}:${port}`, {
      ca,
      lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    });
  const load = { done: 0, failures: [] as string[], stop: () => Promise.resolve() };
  let stopped = false;
  let id = 1_000_000;
  const client = async () => {
    let session = open();
    const send = async (expected: number, method: string, path: string, body?: string) => {
      // nginx ends a connection after a thousand requests (keepalive_requests).
      if (session.closed) session = open();
      const outcome = await exchange(session, { method, path, token, body }).catch(String);
      if (typeof outcome === 'object' && outcome.status === expected) load.done++;
      else load.failures.push(`${method} ${path}: ${JSON.stringify(outcome)}`);
    };
    while (!stopped && load.failures.length === 0) {
      const own = ++id;
      await send(200, 'POST', '/plants', newPlantText({ id: own, name: 'Ficus' }));
      await send(200, 'GET', '/plants?limit=1');
      await send(204, 'DELETE', `/plants/${own}`);
    }
    session.close();
  };
  const clients = Promise.all(Array.from({ length: 16 }, client));
  load.stop = async () => {
    stopped = true;
    await clients;
  };
  return load;
}

async function exchange(
  session: ClientHttp2Session,
  { method, path, token, body }: { method: string; path: string; token: string; body: string | undefined },
): Promise<{ readonly status: number; readonly text: string }> {
  const stream = session.request({
    ':method': method,
    ':path': path,
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  });
  stream.end(body);
  const [headers] = await once(stream, 'response');
  return { status: Number(headers[':status']), text: await text(stream) };
}

for (const proxy of proxies) {
  const skip = missingFor(proxy) || missing('curl');
  t.test(`the service behind ${proxy.name}, as docs/operations/proxies.md has it`, { skip }, async (t) => {
    const DATABASE_URL = await makeDatabase(t);
    await migrate(DATABASE_URL, plantStore.migrationFolders);
    const database = openDatabase(t, DATABASE_URL);
    const tokens = new TokenStore(database);
    const token = await tokens.issue('owner');
    await plantMany(DATABASE_URL, 'many', manyPlants);
    const [first = 0, second = 0, firstAdmin = 0, secondAdmin = 0] = await fixedPorts(4);
    const settings = { DATABASE_URL, TRUST_PROXY: '127.0.0.1', DRAIN_SECONDS: '2' };
    const start = (port: number): Promise<Server> => {
      const adminPort = port === first ? firstAdmin : secondAdmin;
      return spawnServer(t, { ...settings, PORT: String(port), ADMIN_PORT: String(adminPort) });
    };
    const replicas = await Promise.all([first, second].map(start));
    const { port, authority, log } = await startProxy(t, proxy, [first, second], [firstAdmin, secondAdmin]);
    const curl = makeCurl(port, authority);
    const authorized = ['--header', `Authorization: Bearer ${token}`];
    const json = ['--header', 'Content-Type: application/json'];
    const post = (body: string) => curl('/plants', ...authorized, ...json, '--data-binary', body);
    await until('it serves', () =>
      curl('/ready').then(
        ({ status }) => status === 200,
        (error) => {
          // curl could not connect yet.
          if (error.code !== 7) throw error;
        },
      ),
    );

    await t.test('creates, lists and deletes over HTTP/2', async (t) => {
      for (const _ of ['first', 'repeated'])
        t.match(await post(newPlantText({ id: 1, name: 'Ficus' })), {
          version: '2',
          status: 200,
          text: plantText({ name: 'Ficus' }),
        });
      t.match(await curl('/plants', ...authorized), {
        version: '2',
        status: 200,
        text: `[${plantText({ name: 'Ficus' })}]`,
      });
      t.match(await curl('/plants/1', ...authorized, '-X', 'DELETE'), { status: 204, text: '' });
      const again = await curl('/plants/1', ...authorized, '-X', 'DELETE', '--http1.1');
      t.match(again, { version: '1.1', status: 404 });
    });

    await t.test('browsers are told to ask with TLS only, by refusals too (RFC 6797)', async (t) => {
      for (const parameters of [authorized, []]) {
        const { headers } = await curl('/plants', ...parameters);
        t.strictSame(headers['strict-transport-security'], ['max-age=31536000']);
      }
    });

    await t.test('a body of 64 KiB, and none that is longer', async (t) => {
      const short = newPlantText('{"id":2,"name":"Fern","note":""}');
      const bodyOf = (bytes: number) => short.replace('""', `"${'x'.repeat(bytes - short.length)}"`);
      t.match(await post(bodyOf(largestBody)), { status: 200, text: plantText({ name: 'Fern' }) });
      const refused = await post(bodyOf(largestBody + 1));
      t.equal(refused.status, 413);
      t.match(refused.headers['content-type'], [/^application\/json/]);
      t.strictSame(JSON.parse(refused.text), {
        error: 413,
        message: `The body is larger than ${largestBody} bytes.`,
      });
    });

    await t.test('a long list, complete and not stored on the way', async (t) => {
      const many = `Authorization: Bearer ${await tokens.issue('many')}`;
      const { status, text } = await curl('/plants', '--header', many, '--limit-rate', '2M');
      t.equal(status, 200);
      const plants: { name: string }[] = JSON.parse(text);
      t.equal(plants.length, manyPlants);
      t.equal(plants.at(-1)?.name, `plant ${manyPlants}`);
      t.notMatch(await readFile(log, 'utf8').catch(() => ''), 'temporary file');
    });

    await t.test('tokens that are wrong or missing', async (t) => {
      const wrong = await curl('/plants', '--header', 'Authorization: Bearer wrong');
      t.match(wrong, {
        status: 401,
        headers: { 'www-authenticate': [/^Bearer realm="Plant Store", error="invalid_token"/] },
      });
      t.match(await curl('/plants'), {
        status: 401,
        headers: { 'www-authenticate': ['Bearer realm="Plant Store"'] },
      });
    });

    await t.test("the client's address, and what a client may not claim", async (t) => {
      const claims = ['For: 192.0.2.1', 'Host: evil.example', 'Proto: gopher', 'Prefix: /evil'];
      const headers = claims.flatMap((claim) => ['--header', `X-Forwarded-${claim}`]);
      const { text } = await curl('/openapi.json?claims', ...headers);
      t.match(JSON.parse(text).servers, [{ url: `https://${hostName}:${port}` }]);
      const logged = () => replicas.map((replica) => replica.stdout()).join('');
      const line = await until('it is logged', () =>
        logged()
          .split('\n')
          .find((line) => line.includes('/openapi.json?claims')),
      );
      t.equal(JSON.parse(line).req.ip, clientAddress);
    });

    // The page says why, and what to do instead.
    const loses = proxy.name === 'nginx' && 'nginx does not ask /ready';
    await t.test('replicas are restarted in turn without a request lost', { skip: loses }, async (t) => {
      const load = await startLoad(port, authority, token);
      // A failure ends the load, so the proxy would not use a replica: it is told first.
      await restartInTurn(t, replicas, start, 4).finally(async () => {
        await load.stop();
        t.strictSame(load.failures, []);
      });
      t.comment(`${load.done} requests, ${load.failures.length} failed`);
    });

    await t.test('a list that breaks off is not taken for a whole one', async (t) => {
      const many = `Authorization: Bearer ${await tokens.issue('many')}`;
      const received = join(await makeFolder(t), 'list.json');
      const list = curl(
        '/plants',
        '--header',
        many,
        '--limit-rate',
        '100K',
        '--no-buffer',
        '--output',
        received,
      );
      // HAProxy 2.6 may end it over HTTP/2 as though it was whole.
      const ended = list.catch(() => {});
      await until('it has begun', () => statSync(received, { throwIfNoEntry: false })?.size);
      for (const { child } of replicas) child.kill('SIGKILL');
      await ended;
      t.throws(() => JSON.parse(readFileSync(received, 'utf8')), SyntaxError);
    });

    await t.test('without any replica, the answer still has the form of the contract', async (t) => {
      await Promise.all(replicas.map(({ ended }) => ended));
      // HAProxy resets requests on connections that have just broken.
      const { status, text, headers } = await until('the proxy has noticed', () =>
        post(newPlantText({ id: 3, name: 'Palm' })).catch(() => undefined),
      );
      t.equal(status, 503);
      t.match(headers, { 'retry-after': ['1'], 'content-type': ['application/json'] });
      t.match(JSON.parse(text), { error: 503, message: /^The service does not answer/ });
    });
  });
}
