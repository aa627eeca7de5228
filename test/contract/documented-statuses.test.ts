import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import pg from 'pg';
import t from 'tap';
import { parseDocument } from 'yaml';
import { newPlantText } from '../../scripts/kit/plants.js';
import { type Operation, readContract } from '../../src/contract/document/document.js';
import { contractFile } from '../../src/project.js';
import { startOwnPostgres } from '../support/own-postgres.js';
import { type Service, startService } from '../support/service.js';
import { missing } from '../support/tools.js';

/** One request for each documented status of each operation, sent by curl if curl can send it. */

const run = promisify(execFile);
const json = ['-H', 'Content-Type: application/json', '-d'];
const plant = [...json, newPlantText({ id: 7, name: 'Ficus' })];

interface Provocation {
  /** Runs before the request. If it returns a function, that undoes it after the answer. */
  readonly before?: (service: Service) => Promise<unknown>;
  /** The arguments of curl, without the method. */
  readonly curl?: readonly string[];
  readonly path?: string;
  /** Bytes to write to a socket instead of calling curl. */
  readonly raw?: string;
  readonly token?: '';
  /** How often curl sends it. The last answer counts. */
  readonly times?: number;
}

const database = async ({ databaseUrl }: Service, ...statements: string[]) => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
};
/** A failure that the service does not know. */
const withBrokenTable = async (service: Service) => {
  await database(service, 'ALTER TABLE plants RENAME TO gone');
  await database(
    service,
    "CREATE FUNCTION broken() RETURNS SETOF gone LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION $$It is broken.$$; END'",
  );
  await database(service, 'CREATE VIEW plants AS SELECT * FROM broken()');
  return async () => {
    await database(service, 'DROP FUNCTION broken() CASCADE');
    await database(service, 'ALTER TABLE gone RENAME TO plants');
  };
};
const withPlant = (service: Service) =>
  service.call('POST', '/plants', { body: newPlantText({ id: 7, name: 'Fern' }) });
let stopPostgres = async (): Promise<void> => {};

const provocations: Readonly<Record<string, Readonly<Record<number, Provocation>>>> = {
  createPlant: {
    200: { curl: plant },
    400: { curl: [...json, newPlantText({ id: '7', name: 'Ficus' })] },
    401: { curl: plant, token: '' },
    408: {
      raw: 'POST /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    },
    409: { before: withPlant, curl: plant },
    413: { curl: [...json, newPlantText({ id: 7, name: 'Ficus' }).padEnd(2 ** 16 + 1)] },
    415: { curl: ['-d', 'id=7'] },
    429: { curl: plant, times: 5 },
    500: { before: withBrokenTable, curl: plant },
    503: { before: () => stopPostgres(), curl: plant },
  },
  listPlants: {
    200: {},
    400: { path: '/plants?limit=0' },
    401: { token: '' },
    408: { raw: 'GET /plants HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOK' },
    429: { times: 5 },
    500: { before: withBrokenTable },
    503: { before: () => stopPostgres() },
  },
  deletePlant: {
    204: { before: withPlant },
    400: { path: '/plants/seven' },
    401: { token: '' },
    404: {},
    408: { raw: 'DELETE /plants/7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer TOK' },
    429: { times: 5 },
    500: { before: withBrokenTable },
    503: { before: () => stopPostgres() },
  },
};

const { operations, document } = await readContract(contractFile);

t.test('every documented status of every operation has a request here, and no other status', async (t) => {
  for (const { id, responses } of operations) {
    const provoked = Object.keys(provocations[id] ?? {}).map(Number);
    const missing = [...responses.keys()].filter((status) => !provoked.includes(status)).sort();
    const others = provoked.filter((status) => !responses.has(status));
    t.equal(missing.join(), '', `${id}: add a request that is answered ${missing} to "provocations"`);
    t.equal(others.join(), '', `${id}: take the requests that are answered ${others} out of "provocations"`);
  }
});

t.test('each documented status comes with its headers and body', { skip: missing('curl') }, async (t) => {
  const cluster = await startOwnPostgres(t);
  stopPostgres = () => cluster.stop();
  const service = await startService(t, { databaseUrl: cluster.url });
  // Short timeouts only for 408: on a busy machine, complete requests could exceed them, too.
  const timeouts = { headerMs: 200, requestMs: 400, checkMs: 50, idleMs: 5_000, silenceMs: 5_000 };
  const impatient = await startService(t, { databaseUrl: cluster.url, timeouts });
  const limited = await startService(t, { databaseUrl: cluster.url, requestsPerSecond: 1 });
  const cases = operations
    .flatMap((operation) => [...operation.responses.keys()].map((status) => ({ operation, status })))
    .sort((a, b) => a.status - b.status);
  for (const { operation, status } of cases) {
    const provocation = provocations[operation.id]?.[status];
    // The test above reports it.
    if (provocation === undefined) continue;
    const undo = await provocation.before?.(service);
    const answer =
      provocation.raw === undefined
        ? await curl(status === 429 ? limited : service, operation, provocation)
        : await raw(impatient, provocation.raw);
    t.equal(answer.status, status, `${operation.id} ${status}`);
    const response =
      document.paths[operation.path]?.[operation.method.toLowerCase() as 'get']?.responses[status];
    t.ok(response, 'the YAML has it');
    if (status >= 400) t.match(JSON.parse(answer.body), { error: status, message: /^.+\.$/ });
    if (status === 204) t.equal(answer.body, '');
    else t.match(answer.headers, /^content-type: application\/json\b/im);
    if (status === 401) t.match(answer.headers, /^www-authenticate: Bearer realm="Plant Store"\r$/im);
    if (status === 429) t.match(answer.headers, /^ratelimit: "owner";r=0;t=1\r$/im);
    if (status === 503) t.match(answer.headers, /^retry-after: 1\r$/im);
    if (typeof undo === 'function') await undo();
    if (status < 500 && status !== 408) await service.call('DELETE', '/plants/7');
  }
});

interface Received {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

async function curl(
  service: Service,
  { method, path }: Operation,
  provocation: Provocation,
): Promise<Received> {
  const url = service.address + (provocation.path ?? path.replace('{id}', '7'));
  const token = provocation.token ?? service.token;
  const authorization = token === '' ? [] : ['-H', `Authorization: Bearer ${token}`];
  const { stdout } = await run('curl', [
    '-sS',
    // An empty Expect keeps curl from waiting for "100 Continue".
    '-H',
    'Expect:',
    '-i',
    '-m',
    '60',
    '-X',
    method,
    ...Array.from({ length: provocation.times ?? 1 }, () => url),
    ...authorization,
    ...(provocation.curl ?? []),
  ]);
  return split(stdout.slice(stdout.lastIndexOf('HTTP/1.1 ')));
}

async function raw({ port, token }: Service, request: string): Promise<Received> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request.replace('TOKEN', token));
  return split(await text(socket));
}

function split(answer: string): Received {
  const end = answer.indexOf('\r\n\r\n');
  return {
    status: Number(answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
    headers: answer.slice(0, end + 2),
    body: answer.slice(end + 4),
  };
}

t.test('a status that the contract does not list under an operation becomes a 500', async (t) => {
  const yaml = join(t.testdir(), 'plants.yaml');
  const contract = parseDocument(await readFile(contractFile, 'utf8'));
  for (const status of ['400', '409'])
    t.ok(contract.deleteIn(['paths', '/plants', 'post', 'responses', status]));
  await writeFile(yaml, String(contract));

  // startService skips the check of the start that would refuse this contract.
  const { call, log } = await startService(t, { contractFile: yaml });
  await call('POST', '/plants', { body: newPlantText({ id: 1, name: 'Ficus' }) });
  for (const [body, said] of [
    ['{"id":1}', 'createPlant does not document 400'],
    [newPlantText({ id: 1, name: 'Fern' }), 'createPlant 409: the contract does not document this status.'],
  ] as const) {
    const answer = await call('POST', '/plants', { body });
    const failed = { error: 500, message: 'The server failed to answer this request.' };
    t.strictSame([answer.status, answer.body], [500, failed]);
    t.match(log(), said);
  }
});
