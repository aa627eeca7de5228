import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import t from 'tap';
import { missing, until } from '../../../kit/testing.js';
import type { Operation } from '../../src/contract/document/operations.js';
import type { ServiceDefinition } from '../../src/resources/service-of.js';
import { startOwnPostgres } from '../support/postgres/own-postgres.js';
import {
  allParts,
  resourcesOf,
  type ServedResource,
  servedBy,
  type TestedResource,
} from '../support/resources.js';
import { type Service, startService } from '../support/service.js';

/** One request for each documented status of each operation, sent by curl if curl can send it. */

const run = promisify(execFile);

interface Provocation {
  /** Requests of the same owner before this one. */
  readonly before?: readonly (readonly [method: string, path: string, body: string])[];
  /** Instead of that of the item which `before` has made, or of `someId`. */
  readonly path?: string;
  /** JSON, unless `arguments` say otherwise. */
  readonly body?: string;
  /** More arguments of curl. */
  readonly arguments?: readonly string[];
  /** The first bytes of a request that does not end, instead of calling curl. */
  readonly begun?: string;
  readonly token?: '';
  /** How often curl sends it. The last answer counts. */
  readonly times?: number;
  readonly fault?: 'a broken table' | 'no database';
}

/** What only one operation answers. Add a line here if the test below asks for it. */
const provocations: Readonly<Record<string, Readonly<Record<number, Provocation>>>> = {
  createBed: { 404: { body: '{"id":7,"garden":8,"name":"Ficus"}' } },
  deleteGarden: {
    409: {
      before: [
        ['POST', '/gardens', '{"id":7,"name":"Ficus"}'],
        ['POST', '/beds', '{"id":7,"garden":7,"name":"Ficus"}'],
      ],
    },
  },
};

/** The request that an operation answers with this status. */
function provocationOf(
  resource: TestedResource,
  operation: Operation,
  status: number,
): Provocation | undefined {
  const own = provocations[operation.id]?.[status];
  if (own !== undefined) return own;
  const { method, path, requestBody } = operation;
  const isOfAll = path === resource.path;
  const existing = [['POST', resource.path, resource.item(7, 'Fern')]] as const;
  const valid = isOfAll ? resource.item(7, 'Ficus') : resource.content('Ficus');
  const common: Provocation = requestBody === undefined ? {} : { body: valid };
  switch (status) {
    case 200:
    case 201:
    case 204:
      return isOfAll ? common : { ...common, before: existing };
    case 400:
      if (requestBody !== undefined) return { body: valid.replace('"Ficus"', '7') };
      return { path: isOfAll ? `${path}?limit=0` : path.replace('{id}', 'seven') };
    case 401:
      return { ...common, token: '' };
    case 404:
      return isOfAll ? undefined : common;
    case 408:
      return {
        begun: `${method} ${path.replace('{id}', resource.someId)} HTTP/1.1\r\nHost: x\r\n${begunHeaders(operation)}`,
      };
    case 409:
      return method === 'POST' && isOfAll ? { ...common, before: existing } : undefined;
    case 413:
      return { body: valid.padEnd(2 ** 16 + 1) };
    case 415:
      return { body: 'id=7', arguments: ['-H', 'Content-Type: text/plain'] };
    case 429:
      return { ...common, times: 5 };
    case 500:
      return { ...common, fault: 'a broken table' };
    case 503:
      return { ...common, fault: 'no database' };
    default:
      return undefined;
  }
}

function begunHeaders({ requestBody }: Operation): string {
  if (requestBody === undefined) return 'Authorization: Bearer TOK';
  return 'Authorization: Bearer TOKEN\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
}

for (const parts of allParts) {
  const { operations, title } = await parts.readContract();
  const names = parts.tables.map(({ table }) => table).join(', ');

  t.test(`${names}: every documented status of every operation has a request here`, async (t) => {
    const resources = await resourcesOf(parts);
    for (const { id, tags, responses } of operations) {
      const resource = resources.find(({ name }) => tags.includes(name));
      t.ok(resource, `${id}: give it a tag that is called as its table`);
      if (resource === undefined) continue;
      const operation = resource.operations.find((one) => one.id === id);
      const left = [...responses.keys()].filter(
        (status) => operation === undefined || provocationOf(resource, operation, status) === undefined,
      );
      t.equal(left.join(), '', `${id}: add a request that is answered ${left} to "provocations"`);
    }
  });

  t.test(
    `${names}: each documented status comes with its headers and body`,
    { skip: missing('curl') },
    async (t) => {
      const cluster = await startOwnPostgres(t);
      const common = { databaseUrl: cluster.url, parts };
      const service = await startService(t, common);
      // Short timeouts only for 408: on a busy machine, complete requests could exceed them, too.
      const timeouts = { headerMs: 200, requestMs: 400, checkMs: 50, idleMs: 5_000, silenceMs: 5_000 };
      const impatient = await startService(t, { ...common, timeouts });
      const limited = await startService(t, { ...common, requestsPerSecond: 1 });
      for (const { resource, operation, status, provocation, token } of await casesOf(parts, service)) {
        const mend = await breakFor(provocation, resource, () => cluster.stop());
        const ask = () =>
          provocation.begun === undefined
            ? curl(status === 429 ? limited : service, operation, { token, ...provocation })
            : raw(impatient, provocation.begun.replace('TOKEN', token));
        let answer = await ask();
        // On a busy machine, the requests may come so slowly that none is one too many.
        await until(`${operation.id} 429`, async () => {
          if (status === 429 && answer.status !== 429) answer = await ask();
          return status !== 429 || answer.status === 429;
        });
        t.equal(answer.status, status, `${operation.id} ${status}`);
        if (status >= 400) t.match(JSON.parse(answer.body), { error: status, message: /^.+\.$/ });
        if (status === 204) t.equal(answer.body, '');
        else t.match(answer.headers, /^content-type: application\/json\b/im);
        const realm = /^www-authenticate: Bearer realm="(.*)"\r$/im.exec(answer.headers)?.[1];
        t.equal(realm, status === 401 ? title : undefined);
        if (status === 429) t.match(answer.headers, /^ratelimit: "owner";r=0;t=1\r$/im);
        if (status === 503) t.match(answer.headers, /^retry-after: 1\r$/im);
        await mend();
      }
    },
  );
}

interface Case {
  readonly resource: ServedResource;
  readonly operation: Operation;
  readonly status: number;
  readonly provocation: Provocation;
  readonly token: string;
}

/** Each with an owner of its own, who has what the provocation needs. Those that stop the database come last. */
async function casesOf(parts: ServiceDefinition, service: Service): Promise<Case[]> {
  const cases: Case[] = [];
  for (const resource of await servedBy(parts, service)) {
    for (const operation of resource.operations) {
      for (const status of operation.responses.keys()) {
        const provocation = provocationOf(resource, operation, status);
        // The test above reports it.
        if (provocation === undefined) continue;
        const { call, token } = await resource.newOwner();
        let path = operation.path.replace('{id}', resource.someId);
        for (const [method, before, body] of provocation.before ?? []) {
          const { headers } = await call(method, before, { body });
          path = headers.get('location') ?? path;
        }
        cases.push({ resource, operation, status, provocation: { path, ...provocation }, token });
      }
    }
  }
  return cases.sort((one, other) => one.status - other.status);
}

/** @returns a function that mends it */
async function breakFor(
  { fault }: Provocation,
  { query, table: { table } }: ServedResource,
  stopDatabase: () => Promise<void>,
): Promise<() => Promise<unknown>> {
  if (fault === 'no database') await stopDatabase();
  if (fault !== 'a broken table') return async () => {};
  // A failure that the service does not know.
  await query(`ALTER TABLE ${table} RENAME TO gone`);
  await query(
    "CREATE FUNCTION broken() RETURNS SETOF gone LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION $$It is broken.$$; END'",
  );
  await query(`CREATE VIEW ${table} AS SELECT * FROM broken()`);
  return () => query(`DROP FUNCTION broken() CASCADE; ALTER TABLE gone RENAME TO ${table}`);
}

interface Received {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

async function curl(
  { address }: Service,
  { method, path: ownPath }: Operation,
  {
    path = ownPath,
    body,
    arguments: more = [],
    token,
    times = 1,
  }: Omit<Provocation, 'token'> & { token: string },
): Promise<Received> {
  const authorization = token === '' ? [] : ['-H', `Authorization: Bearer ${token}`];
  const json = more.length === 0 ? ['-H', 'Content-Type: application/json'] : more;
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
    ...Array.from({ length: times }, () => address + path),
    ...authorization,
    ...(body === undefined ? [] : [...json, '-d', body]),
  ]);
  return split(stdout.slice(stdout.lastIndexOf('HTTP/1.1 ')));
}

async function raw({ port }: Service, request: string): Promise<Received> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
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
