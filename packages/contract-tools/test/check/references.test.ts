import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import t from 'tap';
import type { Scope } from '../../src/base/scope.js';
import { serveIn } from '../../src/base/serve.js';
import { check } from '../../src/check/check.js';
import type { Report } from '../../src/check/verdict/report.js';
import { readDocument } from '../../src/document/read-document.js';
import { isObject, type ValueObject } from '../../src/values/json.js';
import { checkServer, textIn } from './json-server.js';

// Each run takes part of a second on an idle machine.
t.setTimeout(600_000);

const collection = (name: string, members: string) => `
  /${name}:
    post:
      operationId: create ${name}
      requestBody: { required: true, content: { application/json: { schema: &${name} ${members} } } }
      responses:
        '201': { description: The item., content: { application/json: { schema: { allOf: [*id, *${name}] } } } }
        default: { description: A failure. }
    get:
      operationId: list ${name}
      responses:
        '200':
          description: All items.
          content: { application/json: { schema: { type: array, items: { allOf: [*id, *${name}] } } } }
        default: { description: A failure. }
  /${name}/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string, format: uuid } }]
    get:
      operationId: get ${name}
      responses:
        '200': { description: The item., content: { application/json: { schema: { allOf: [*id, *${name}] } } } }
        default: { description: A failure. }
    delete:
      operationId: remove ${name}
      responses:
        '204': { description: Removed. }
        default: { description: A failure. }`;

const yaml = `openapi: 3.0.3
info: { title: Orders, version: 1.0.0 }
x-id: &id { type: object, required: [id], properties: { id: { type: string, format: uuid } } }
paths:${collection('customers', '{ type: object, required: [name], properties: { name: { type: string, maxLength: 60 } } }')}
${collection(
  'orders',
  '{ type: object, required: [customerId], properties: { customerId: { type: string, format: uuid }, note: { type: string, maxLength: 60 } } }',
)}
`;

type Item = Readonly<Record<string, unknown>>;
type Taken = Item | 'unfit' | 'absent';

/** A text member; a lenient server takes a number for its digits. */
function readMember(body: Item, name: string, isLenient: boolean): string | undefined {
  const value = typeof body[name] === 'number' && isLenient ? String(body[name]) : body[name];
  return typeof value === 'string' && [...value].length <= 60 ? value : undefined;
}

class Store {
  readonly items: Readonly<Record<string, Map<string, Item>>> = { customers: new Map(), orders: new Map() };
  readonly #isLenient: boolean;

  constructor(isLenient: boolean) {
    this.#isLenient = isLenient;
  }

  take(name: string, body: Item): Taken {
    const [member, optional] = name === 'orders' ? ['customerId', 'note'] : ['name', undefined];
    const value = readMember(body, member, this.#isLenient);
    const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value ?? '');
    if (value === undefined || (name === 'orders' && !isUuid)) return 'unfit';
    if (name === 'orders' && !this.items['customers']?.has(value)) return 'absent';
    if (optional === undefined || body[optional] === undefined) return { [member]: value };
    const note = readMember(body, optional, this.#isLenient);
    return note === undefined ? 'unfit' : { [member]: value, [optional]: note };
  }
}

async function answer(store: Store, request: IncomingMessage): Promise<{ status: number; body?: unknown }> {
  const [, name = '', id] = decodeURIComponent(request.url ?? '').split(/[/?]/);
  const items = store.items[name];
  if (items === undefined) return { status: 404 };
  if (id !== undefined) {
    const item = items.get(id.toLowerCase());
    if (item === undefined) return { status: 404 };
    if (request.method === 'DELETE') items.delete(id.toLowerCase());
    return request.method === 'DELETE' ? { status: 204 } : { status: 200, body: item };
  }
  if (request.method === 'GET') return { status: 200, body: [...items.values()] };
  const isJson = /^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '');
  const body: unknown = isJson ? await json(request).catch(() => undefined) : undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { status: 400 };
  const taken = store.take(name, { ...body });
  if (taken === 'unfit') return { status: 400 };
  if (taken === 'absent') return { status: 422 };
  const item = { ...taken, id: randomUUID() };
  items.set(item.id, item);
  return { status: 201, body: item };
}

async function checked(scope: Scope, isLenient: boolean): Promise<Report> {
  const store = new Store(isLenient);
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(store, request);
    request.resume();
    if (body === undefined) response.writeHead(status).end();
    else response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  const address = await serveIn(scope, server);
  const document = readDocument(yaml, 'orders.yaml');
  return check({
    ...{ document, rules: { on: new Set(['isolation', 'pages']), file: undefined } },
    ...{ url: new URL(address), seed: 1, cases: 5 },
  });
}

const found = ({ findings }: Report): string[] =>
  findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`);

t.test('check:contract takes a documented 422 for a reference to what is absent', async (t) => {
  const report = await checked(t, false);
  t.same(found(report), []);
  t.match(report.notes.join('\n'), 'create orders answered some valid requests with 422');
});

t.test('check:contract says once that a broken body is taken, and expects nothing of its item', async (t) => {
  const report = await checked(t, true);
  t.same(
    report.findings.map(({ operation, rule }) => `${operation}: ${rule}`),
    [
      'create customers: a request that breaks "type" at body/name is answered 201',
      'create orders: a request that breaks "type" at body/note is answered 201',
    ],
  );
});

const id = '{ name: id, in: path, required: true, schema: { type: string, pattern: "^[fp][0-9]{12}$" } }';
const of = (name: string): string =>
  `content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } }`;
const refusals =
  '"400": { description: Refused. }, "404": { description: None. }, "422": { description: No such folder. }';
const resource = (name: string, path: string, others = ''): string => `
  ${path}:
    post:
      operationId: add${name}
      requestBody: { required: true, ${of(`New${name}`)} }
      responses: { "201": { description: Made., ${of(name)} }, ${refusals} }
  ${path}/{id}:
    parameters: [${id}]
    get: { operationId: get${name}, responses: { "200": { description: It., ${of(name)} }, ${refusals} } }
    delete: { operationId: remove${name}, responses: { "204": { description: Gone. }, ${refusals} } }${others}`;
const papers = `openapi: 3.0.3
info: { title: Papers, version: "1" }
security: [{ bearer: [] }]
paths:${resource('Folder', '/folders')}${resource(
  'Paper',
  '/papers',
  `
    patch:
      operationId: changePaper
      requestBody: { required: true, ${of('PaperChange')} }
      responses: { "200": { description: It., ${of('Paper')} }, ${refusals} }`,
)}
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
  schemas:
    NewFolder: { type: object, required: [name], properties: { name: { type: string, minLength: 1, maxLength: 50 } } }
    Folder: { type: object, required: [id, name], properties: { id: { type: string }, name: { type: string } } }
    NewPaper: { type: object, required: [title], properties: &paper { title: { type: string, minLength: 1, maxLength: 50 }, folderId: { type: string, pattern: "^f[0-9]{12}$" } } }
    PaperChange: { type: object, properties: *paper }
    Paper: { type: object, required: [id, title], properties: { <<: *paper, id: { type: string } } }
`;

/** @param mayMoveTo whether a caller may move a paper into a folder of this owner */
function checkedPapers(scope: Scope, mayMoveTo: (owner: string, caller: string) => boolean) {
  const kept = new Map<string, { readonly owner: string; readonly item: ValueObject }>();
  let count = 0;
  const own = (key: string, caller: string) => (kept.get(key)?.owner === caller ? kept.get(key) : undefined);
  const make =
    (letter: string) =>
    ({ body, caller }: Asked) => {
      const folder = textIn(body, 'folderId');
      if (isObject(body) && body['folderId'] !== undefined && !own(folder, caller)) return { status: 422 };
      const item = { ...(isObject(body) ? body : {}), id: `${letter}${String(++count).padStart(12, '0')}` };
      kept.set(item.id, { owner: caller, item });
      return { status: 201, body: item };
    };
  const show = ({ id, caller }: Asked) => {
    const there = own(id, caller);
    return there === undefined ? { status: 404 } : { status: 200, body: there.item };
  };
  const remove = ({ id, caller }: Asked) => ({ status: own(id, caller) && kept.delete(id) ? 204 : 404 });
  return checkServer(scope, {
    yaml: papers,
    rules: ['isolation'],
    answers: {
      ...{ addFolder: make('f'), getFolder: show, removeFolder: remove },
      ...{ addPaper: make('p'), getPaper: show, removePaper: remove },
      changePaper: ({ id, body, caller }) => {
        const there = own(id, caller);
        if (there === undefined) return { status: 404 };
        const folder = kept.get(textIn(body, 'folderId'));
        const isMoved = isObject(body) && body['folderId'] !== undefined;
        if (isMoved && !(folder && mayMoveTo(folder.owner, caller))) return { status: 422 };
        const item = { ...there.item, ...(isObject(body) ? body : {}) };
        kept.set(id, { ...there, item });
        return { status: 200, body: item };
      },
    },
  });
}

type Asked = Parameters<Parameters<typeof checkServer>[1]['answers'][string]>[0];

t.test("check:contract finds an update that moves an item to another owner's", async (t) => {
  t.same((await checkedPapers(t, (owner, caller) => owner === caller)).found, []);
  t.same((await checkedPapers(t, () => true)).found, [
    "changePaper: a reference to another owner's item is taken",
  ]);
});
