import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import { curlLine } from '../../src/check/requests/curl.js';
import type { Report } from '../../src/check/verdict/report.js';
import { type Scheme, withoutKeys } from '../../src/document/credentials.js';
import { operationsOf } from '../../src/document/operations.js';
import { readDocument } from '../../src/document/read-document.js';

// Each run takes part of a second on an idle machine.
t.setTimeout(600_000);

const yaml = (scheme: string) => `openapi: 3.0.3
info: { title: Lockers, version: 1.0.0 }
security: [{ key: [] }]
paths:
  /lockers:
    post:
      operationId: addLocker
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewLocker' } } }
      responses:
        '201':
          description: The locker.
          content: { application/json: { schema: { $ref: '#/components/schemas/Locker' } } }
        '400': { description: It does not fit. }
        '401': { description: Nobody knows who is calling. }
        '415': { description: It is not JSON. }
    get:
      operationId: listLockers
      responses:
        '200':
          description: The lockers of the caller.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Locker' } } } }
        '401': { description: Nobody knows who is calling. }
  /lockers/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string, format: uuid } }]
    get:
      operationId: getLocker
      responses:
        '200':
          description: The locker.
          content: { application/json: { schema: { $ref: '#/components/schemas/Locker' } } }
        '401': { description: Nobody knows who is calling. }
        '404': { description: There is no such locker. }
    delete:
      operationId: removeLocker
      responses:
        '204': { description: Removed. }
        '401': { description: Nobody knows who is calling. }
        '404': { description: There is no such locker. }
components:
  securitySchemes:
    key: ${scheme}
  schemas:
    NewLocker:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 1, maxLength: 40 }
    Locker:
      type: object
      required: [id, name]
      properties:
        id: { type: string, format: uuid }
        name: { type: string, minLength: 1, maxLength: 40 }
`;

/** How a server finds the credential in a request. */
interface Lock {
  readonly scheme: string;
  readonly read: (request: IncomingMessage) => string | undefined;
  readonly challenge?: string;
}

const passwordOf = ({ headers }: IncomingMessage): string | undefined => {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(headers.authorization ?? '') ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString();
};

const locks = {
  header: {
    scheme: '{ type: apiKey, in: header, name: X-Key }',
    read: ({ headers }) => headers['x-key']?.toString(),
  },
  query: {
    scheme: '{ type: apiKey, in: query, name: the key }',
    read: ({ url = '' }) => new URL(url, 'http://localhost').searchParams.get('the key') ?? undefined,
  },
  cookie: {
    scheme: '{ type: apiKey, in: cookie, name: sid }',
    read: ({ headers }) => /(?:^|; )sid=([^;]*)/.exec(headers.cookie ?? '')?.[1],
  },
  basic: {
    scheme: '{ type: http, scheme: Basic }',
    read: passwordOf,
    challenge: 'Newer realm="a, Basic", Basic realm="lockers"',
  },
} satisfies Readonly<Record<string, Lock>>;

const first = { text: 'ann:one+/=', shell: '$PLANTS_TOKEN' };
const second = { text: 'bob:two+/=', shell: '$PLANTS_OTHER_TOKEN' };
const owners = new Map([
  [first.text, 'ann'],
  [second.text, 'bob'],
]);

/** Each flaw with the operation that a report must name. */
const flaws = {
  'an operation answers without credentials': 'listLockers',
  'an operation takes any credentials': 'getLocker',
  'the beginning of the credentials is enough': 'addLocker',
  'an owner removes what is another one’s': 'removeLocker',
  'an owner sees what is another one’s': 'listLockers',
} as const;
type Flaw = keyof typeof flaws | 'the challenge is of another scheme';

const operations: Readonly<Record<string, string>> = {
  'POST 1': 'addLocker',
  'GET 1': 'listLockers',
  'GET 2': 'getLocker',
  'DELETE 2': 'removeLocker',
};

interface Locker {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
}

class Lockers {
  readonly #lockers = new Map<string, Locker>();
  readonly #lock: Lock;
  readonly #flaw: Flaw | undefined;

  constructor(lock: Lock, flaw: Flaw | undefined) {
    this.#lock = lock;
    this.#flaw = flaw;
  }

  async answer(request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const [, ...path] = pathname.split('/').map(decodeURIComponent);
    const operation = path[0] === 'lockers' ? operations[`${request.method} ${path.length}`] : undefined;
    if (operation === undefined) return { status: 404 };
    const owner = this.#ownerOf(request, operation);
    if (owner === undefined) return { status: 401 };
    if (operation === 'addLocker') return this.#add(owner, request);
    const own = [...this.#lockers.values()].filter(
      (locker) => locker.owner === owner || this.#has('an owner sees what is another one’s'),
    );
    if (operation === 'listLockers') return { status: 200, body: own.map(shown) };
    const locker = this.#lockers.get(path[1] ?? '');
    const isOpen = operation === 'removeLocker' && this.#has('an owner removes what is another one’s');
    if (locker === undefined || (locker.owner !== owner && !isOpen)) return { status: 404 };
    if (operation === 'getLocker') return { status: 200, body: shown(locker) };
    this.#lockers.delete(locker.id);
    return { status: 204 };
  }

  #has(flaw: Flaw): boolean {
    return this.#flaw === flaw;
  }

  /** The operation is part of a flaw only if the flaw is about it. */
  #ownerOf(request: IncomingMessage, operation: string): string | undefined {
    const text = this.#lock.read(request);
    const isFlawed = Object.entries(flaws).some(([flaw, id]) => flaw === this.#flaw && id === operation);
    if (isFlawed && this.#has('an operation answers without credentials') && text === undefined) return 'ann';
    if (isFlawed && this.#has('an operation takes any credentials') && text !== undefined) {
      return owners.get(text) ?? 'ann';
    }
    if (isFlawed && this.#has('the beginning of the credentials is enough')) {
      return [...owners].find(([good]) => text?.startsWith(good.slice(0, 6)))?.[1];
    }
    return owners.get(text ?? '');
  }

  async #add(owner: string, request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
    if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) return { status: 415 };
    const body: unknown = await json(request).catch(() => undefined);
    if (typeof body !== 'object' || body === null || !('name' in body)) return { status: 400 };
    const { name } = body;
    if (typeof name !== 'string' || name === '' || [...name].length > 40) return { status: 400 };
    const locker = { id: randomUUID(), name, owner };
    this.#lockers.set(locker.id, locker);
    return { status: 201, body: shown(locker) };
  }
}

function shown({ id, name }: Locker): object {
  return { id, name };
}

async function start(scope: Scope, lock: Lock, flaw?: Flaw): Promise<URL> {
  const lockers = new Lockers(lock, flaw);
  const challenge = flaw === 'the challenge is of another scheme' ? 'Newer realm="a, Basic"' : lock.challenge;
  const server = createServer(async (request, response) => {
    const { status, body } = await lockers.answer(request);
    request.resume();
    if (status === 401 && challenge !== undefined) response.setHeader('WWW-Authenticate', challenge);
    if (body === undefined) response.writeHead(status).end();
    else response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  const address = await serveIn(scope, server);
  return new URL(address);
}

async function checked(scope: Scope, lock: Lock, flaw?: Flaw): Promise<Report> {
  const document = readDocument(yaml(lock.scheme), 'lockers.yaml');
  return check({
    ...{ document, rules: { on: new Set(['isolation', 'pages']), file: undefined } },
    ...{ url: await start(scope, lock, flaw), token: first, otherToken: second, seed: 1, cases: 2 },
    failFast: flaw !== undefined,
  });
}

const found = ({ findings }: Report): string[] =>
  findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);

for (const [name, lock] of Object.entries<Lock>(locks)) {
  t.test(`check:contract passes a faultless server with credentials of another kind: ${name}`, async (t) => {
    const report = await checked(t, lock);
    t.same(found(report), []);
    const notes = report.notes.join('\n');
    t.notMatch(notes, 'left out');
    t.match(notes, 'Isolation of /lockers: the second owner tried ');
    t.same(
      report.unseen.filter(({ status }) => status.startsWith('2')),
      [],
      'every operation has succeeded',
    );
  });
}

for (const name of ['header', 'basic'] as const) {
  // Object.keys loses the type of the keys.
  for (const flaw of Object.keys(flaws) as (keyof typeof flaws)[]) {
    t.test(`check:contract finds a fault behind credentials of another kind: ${name}: ${flaw}`, async (t) => {
      const report = await checked(t, locks[name], flaw);
      const [finding] = report.findings;
      t.match(finding, { operation: flaws[flaw] }, `names ${flaws[flaw]}`, { findings: found(report) });
      const lines = finding?.steps.map(({ request }) => curlLine(report.url, request)).join('\n') ?? '';
      for (const { text } of [first, second]) {
        for (const secret of [text, Buffer.from(text).toString('base64')]) {
          t.notOk(lines.includes(secret), 'shows no secret');
        }
      }
    });
  }
}

t.test('RFC 9110, section 15.5.2: a 401 has a challenge of HTTP Basic', async (t) => {
  const report = await checked(t, locks.basic, 'the challenge is of another scheme');
  t.match(found(report), [/the challenge is not Basic/]);
});

t.test('check:contract makes no values for a parameter that is the API key', async (t) => {
  const parameter = '{ name: x-key, in: header, required: true, schema: { type: string } }';
  const twice = yaml(locks.header.scheme).replace(
    'operationId: listLockers',
    `operationId: listLockers\n      parameters: [${parameter}]`,
  );
  const document = readDocument(twice, 'lockers.yaml');
  const list = operationsOf(document).operations.find(({ id }) => id === 'listLockers');
  t.same(list?.parameters, []);
});

t.test('check:contract refuses a credential that the scheme cannot carry', async (t) => {
  const document = readDocument(yaml(locks.basic.scheme), 'lockers.yaml');
  const token = { text: 'no-colon', shell: '$PLANTS_TOKEN' };
  await t.rejects(check({ document, url: await start(t, locks.basic), token }), {
    name: 'CannotCheckError',
    message: /^PLANTS_TOKEN .*user:password/,
  });
});

t.test('check:contract follows a link without the API key that the server repeats in it', (t) => {
  const scheme: Scheme = { kind: 'apiKey', in: 'query', name: 'the key' };
  t.equal(withoutKeys('/lockers?the%20key=a%3D&after=1&b', [scheme]), '/lockers?after=1&b');
  t.equal(withoutKeys('http://localhost/lockers?the%20key=a', [scheme]), 'http://localhost/lockers');
  t.equal(withoutKeys('/lockers?after=1', [{ kind: 'bearer' }]), '/lockers?after=1');
  t.end();
});
