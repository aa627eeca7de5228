import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { fixedPorts, launch } from '../../packages/kit/index.js';
import { makeFolder, restartInTurn, type Server, spawnServer, until } from '../../packages/kit/testing.js';
import { TokenStore } from '../../packages/service/layer.js';
import { newPlantText } from '../../packages/service/test/support/plants.js';
import { makeDatabase, openDatabase } from '../../packages/service/test/support/postgres/database.js';

/** Where Debian has it, which is not in everybody's PATH. */
const program = '/usr/sbin/haproxy';
const skip = !existsSync(program) && 'haproxy is not installed';

/** Restarts of one replica after the other. */
const restarts = 10;
/** Each with a connection of its own. */
const clientsPerMode = 16;

/** Starts HAProxy in HTTP mode and in TCP mode, without retries. */
async function startHaproxy(
  t: Test,
  { http, tcp, replicas }: { http: number; tcp: number; replicas: readonly string[] },
): Promise<void> {
  const listen = (mode: string, port: number) => `
    listen plants-over-${mode}
      mode ${mode}
      bind 127.0.0.1:${port}
      option httpchk GET /ready
      ${replicas.map((replica, at) => `server replica-${at} ${replica}`).join('\n')}
  `;
  const file = join(await makeFolder(t), 'haproxy.cfg');
  await writeFile(
    file,
    `
    defaults
      retries 0
      timeout connect 5s
      timeout client 60s
      timeout server 60s
      default-server check inter 500ms fall 2 rise 1
    ${listen('http', http)}
    ${listen('tcp', tcp)}
    \n`,
  );
  launch(t, program, ['-q', '-db', '-f', file]);
}

interface Load {
  readonly failures: string[];
  done: number;
  stop(): Promise<unknown>;
}

/** Creates, lists and deletes one after the other on kept connections. Nothing is sent twice. */
function startLoad(ports: readonly number[], token: string): Load {
  const load = { failures: [] as string[], done: 0, stop: () => Promise.resolve<unknown>(undefined) };
  let stopped = false;
  let id = 0;
  const client = async (port: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = async (expected: number, method: string, path: string, body = ''): Promise<void> => {
      const outcome = await exchange(agent, { port, method, path, token, body }).catch(String);
      if (outcome === expected) load.done++;
      else load.failures.push(`port ${port}: ${method} ${path}: ${outcome}`);
    };
    while (!stopped) {
      const own = ++id;
      await send(200, 'POST', '/plants', newPlantText(`{"id":${own},"name":"Ficus"}`));
      await send(200, 'GET', '/plants?limit=1');
      await send(204, 'DELETE', `/plants/${own}`);
    }
    agent.destroy();
  };
  const clients = Promise.all(
    ports.flatMap((port) => Array.from({ length: clientsPerMode }, () => client(port))),
  );
  load.stop = () => {
    stopped = true;
    return clients;
  };
  return load;
}

/** @returns the status */
async function exchange(
  agent: Agent,
  { token, body, ...target }: { port: number; method: string; path: string; token: string; body: string },
): Promise<number | undefined> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== '' && { 'content-type': 'application/json', 'content-length': body.length }),
  };
  const sent = request({ ...target, agent, headers, host: '127.0.0.1' });
  const response = await new Promise<AsyncIterable<Buffer> & { statusCode?: number }>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
    sent.end(body);
  });
  for await (const _ of response);
  return response.statusCode;
}

t.test('replicas behind HAProxy are restarted in turn without a request lost', { skip }, async (t) => {
  const DATABASE_URL = await makeDatabase(t);
  const [first = 0, second = 0, firstAdmin = 0, secondAdmin = 0, http = 0, tcp = 0] = await fixedPorts(6);
  const start = (port: number): Promise<Server> =>
    spawnServer(t, {
      DATABASE_URL,
      PORT: String(port),
      ADMIN_PORT: String(port === first ? firstAdmin : secondAdmin),
      DRAIN_SECONDS: '2',
    });
  const replicas = await Promise.all([first, second].map(start));
  const database = openDatabase(t, DATABASE_URL);
  const token = await new TokenStore(database).issue('owner');
  await startHaproxy(t, {
    http,
    tcp,
    replicas: [`127.0.0.1:${first} port ${firstAdmin}`, `127.0.0.1:${second} port ${secondAdmin}`],
  });
  await until('HAProxy listens', () =>
    fetch(`http://127.0.0.1:${tcp}/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  const load = startLoad([http, tcp], token);
  await restartInTurn(t, replicas, start, restarts);
  await load.stop();
  t.strictSame(load.failures, []);
  t.ok(load.done > 1_000, `${load.done} requests were answered`);
  t.comment(`${load.done} requests, ${load.failures.length} failed`);
});
