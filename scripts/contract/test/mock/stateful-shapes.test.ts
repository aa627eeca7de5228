import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeLog } from '../../../../src/log/log.js';
import { readMockable } from '../../mock/any-contract.js';
import { buildMock } from '../../mock/app.js';

t.setTimeout(600_000);

/** Work that has not ended by then does not end. */
const maxWaitMs = 60_000;

type Method = 'GET' | 'POST' | 'DELETE';
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const item = "{ $ref: '#/components/schemas/Item' }";
const create = `requestBody: { required: true, ${json("{ $ref: '#/components/schemas/NewItem' }")} }`;
const absent = "'404': { description: No. }";
const made = `{ ${create}, responses: { '201': { description: Made., headers: { ETag: { schema: { type: string } } }, ${json(item)} }, ${absent} } }`;
const listed = (schema: string, parameters = '[]') =>
  `{ parameters: ${parameters}, responses: { '200': { description: Some., ${json(schema)} }, ${absent} } }`;
const shown = `{ responses: { '200': { description: It., ${json(item)} }, ${absent} } }`;
const removed = `{ responses: { '204': { description: Gone. }, ${absent} } }`;
const parameters = (...names: string[]) =>
  `parameters: [${names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`).join(', ')}]`;

/** Calls a stateful mock of a document with these paths; items have an optional id, which the client may choose. */
async function mockOf(t: Test, paths: string, more = '') {
  const members = 'name: { type: string }';
  const yaml = `{ openapi: 3.0.3, info: { title: Any, version: 1.0.0 }, paths: ${paths}, components: { schemas: {
    NewItem: { type: object, required: [name], properties: { id: { type: string }, ${members} } },
    Item: { type: object, required: [id, name], properties: { id: { type: string }, ${members} } } ${more} } } }`;
  const { contract, isOwn } = await readMockable(join(t.testdir({ 'any.yaml': yaml }), 'any.yaml'));
  const app = await buildMock({
    ...{ contract, log: makeLog('silent'), stateful: true, documentedFailures: !isOwn },
  });
  t.teardown(() => app.close());
  return async (
    method: Method,
    url: string,
    body?: object,
    headers: Readonly<Record<string, string>> = { 'x-key': 'ann' },
  ) => {
    const answer = await app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: answer.payload ? answer.json() : undefined,
    };
  };
}

const orgs = `/orgs: { post: ${made}, get: ${listed(`{ type: array, items: ${item} }`)} },
  '/orgs/{org}': { ${parameters('org')}, get: ${shown}, delete: ${removed} }`;
const teams = `'/orgs/{org}/teams': { ${parameters('org')}, post: ${made} },
  '/orgs/{org}/teams/{team}': { ${parameters('org', 'team')}, get: ${shown}, delete: ${removed} },
  '/orgs/{o}/teams/{t}/members': { ${parameters('o', 't')}, post: ${made} },
  '/orgs/{o}/teams/{t}/members/{member}': { ${parameters('o', 't', 'member')}, get: ${shown} }`;

t.test('the server makes an id that the client leaves out, and none that it has chosen before', async (t) => {
  const call = await mockOf(t, `{ ${orgs} }`);
  t.match(await call('POST', '/orgs', { id: '1', name: 'a' }), { status: 201, body: { id: '1' } });
  const { body } = await call('POST', '/orgs', { name: 'b' });
  t.notOk(['1', 'undefined'].includes(body.id), body.id);
  t.match(await call('GET', '/orgs'), { body: { length: 2 } });
});

t.test('the same create again leaves the entity tag as it is', async (t) => {
  const call = await mockOf(t, `{ ${orgs} }`);
  const { headers } = await call('POST', '/orgs', { id: 'a', name: 'a' });
  t.type(headers.etag, 'string');
  t.equal((await call('POST', '/orgs', { id: 'a', name: 'a' })).headers.etag, headers.etag);
});

t.test('an item is made and removed below the parent that its whole path names', async (t) => {
  const call = await mockOf(t, `{ ${orgs}, ${teams} }`);
  for (const org of ['x', 'y']) await call('POST', '/orgs', { id: org, name: org });
  await call('POST', '/orgs/x/teams', { id: 'a', name: 'a' });
  t.equal((await call('POST', '/orgs/y/teams/a/members', { id: 'm', name: 'm' })).status, 404);
  await call('POST', '/orgs/y/teams', { id: 'a', name: 'a' });
  for (const org of ['x', 'y'])
    t.equal((await call('POST', `/orgs/${org}/teams/a/members`, { id: 'm', name: 'm' })).status, 201);
  t.equal((await call('DELETE', '/orgs/x/teams/a')).status, 204);
  t.equal((await call('GET', '/orgs/x/teams/a/members/m')).status, 404);
  t.equal((await call('GET', '/orgs/y/teams/a/members/m')).status, 200, 'the other team keeps its member');
});

t.test('grandchildren with a path of their own go with their grandparent', async (t) => {
  const call = await mockOf(
    t,
    `{ ${orgs}, '/orgs/{org}/jobs': { ${parameters('org')}, post: ${made} }, '/jobs/{job}': { ${parameters('job')}, get: ${shown} },
      '/jobs/{job}/parts': { ${parameters('job')}, post: ${made} }, '/parts/{part}': { ${parameters('part')}, get: ${shown} } }`,
  );
  await call('POST', '/orgs', { id: 'x', name: 'x' });
  t.equal((await call('POST', '/orgs/x/jobs', { id: 'j', name: 'j' })).status, 201);
  t.equal((await call('POST', '/jobs/j/parts', { id: 'p', name: 'p' })).status, 201);
  t.equal((await call('GET', '/parts/p')).status, 200);
  t.equal((await call('DELETE', '/orgs/x')).status, 204);
  t.equal((await call('GET', '/parts/p')).status, 404);
});

t.test('if everybody may read, everybody finds what is below an item', async (t) => {
  const secured = made.replace('{', '{ security: [{ key: [] }],');
  const call = await mockOf(
    t,
    `{ /orgs: { post: ${secured} }, '/orgs/{org}': { ${parameters('org')}, get: ${shown} },
      '/orgs/{org}/teams': { ${parameters('org')}, post: ${secured}, get: ${listed(`{ type: array, items: ${item} }`)} },
      '/orgs/{org}/teams/{team}': { ${parameters('org', 'team')}, get: ${shown} },
      '/orgs/{org}/photo': { ${parameters('org')}, get: ${shown} } }`,
    '}, securitySchemes: { key: { type: apiKey, in: header, name: X-Key }',
  );
  await call('POST', '/orgs', { id: 'x', name: 'x' });
  await call('POST', '/orgs/x/teams', { id: 'a', name: 'a' });
  t.equal((await call('GET', '/orgs/x', undefined, {})).status, 200);
  t.match(await call('GET', '/orgs/x/teams', undefined, {}), { status: 200, body: [{ id: 'a' }] });
  t.equal((await call('GET', '/orgs/x/teams/a', undefined, {})).status, 200);
  t.equal((await call('GET', '/orgs/x/photo', undefined, {})).status, 200);
  t.equal((await call('GET', '/orgs/z/photo', undefined, {})).status, 404);
});

const envelope = `{ type: object, required: [items], properties: { items: { type: array, items: ${item} }, total: { type: number }, limit: { type: integer },
  offset: { type: integer }, pages: { type: integer }, next: { type: string, format: uri }, nextCursor: { type: string }, year: { type: integer } } }`;
const query = (...schemas: string[]) => `[${schemas.map((schema) => `{ in: query, ${schema} }`).join(', ')}]`;
const limit = 'name: limit, schema: { type: integer, minimum: 1, maximum: 100, default: 2 }';

t.test(
  'each number of an envelope is what its name says, and the next page has the same query',
  async (t) => {
    const offset = 'name: offset, schema: { type: integer, minimum: 0, default: 0 }';
    const kind = 'name: kind, schema: { type: array, items: { type: string } }';
    const list = listed(envelope, query(limit, offset, kind));
    const call = await mockOf(
      t,
      `{ /orgs: { post: ${made}, get: ${list} }, '/orgs/{org}': { ${parameters('org')}, get: ${shown} } }`,
    );
    for (const name of ['a', 'b', 'c', 'd', 'e']) await call('POST', '/orgs', { name });
    const first = await call('GET', '/orgs?kind=a&kind=b&offset=1', undefined, { host: 'mock.test:8080' });
    const { next, items, nextCursor: _, ...numbers } = first.body;
    t.equal(items.length, 2);
    t.strictSame(numbers, { total: 5, limit: 2, offset: 1, pages: 3 });
    const url = new URL(next);
    t.equal(url.origin, 'http://mock.test:8080');
    t.strictSame(url.searchParams.getAll('kind'), ['a', 'b']);
    t.equal(url.searchParams.get('offset'), '3');
  },
);

t.test('a cursor keeps its place if its item was removed', async (t) => {
  const cursor = 'name: cursor, schema: { type: string }';
  const list = listed(envelope, query(limit, cursor));
  const call = await mockOf(
    t,
    `{ /orgs: { post: ${made}, get: ${list} }, '/orgs/{org}': { ${parameters('org')}, get: ${shown}, delete: ${removed} } }`,
  );
  for (const id of ['z', 'y', 'x', 'w', 'v']) await call('POST', '/orgs', { id, name: id });
  const { nextCursor } = (await call('GET', '/orgs')).body;
  t.equal((await call('DELETE', `/orgs/${nextCursor}`)).status, 204);
  t.match((await call('GET', `/orgs?cursor=${nextCursor}`)).body, {
    total: 4,
    items: [{ id: 'x' }, { id: 'w' }],
  });
});

t.test('two operations may begin the work that one monitor shows', async (t) => {
  const run = `{ type: object, required: [id, state], properties: { id: { type: integer }, state: { type: string, enum: [queued, running, done] }, result: { type: string, format: uri-reference } } }`;
  const begin = (id: string) =>
    `{ operationId: ${id}, responses: { '202': { description: Begun., headers: { Location: { required: true, schema: { type: string } } }, ${json("{ $ref: '#/components/schemas/Run' }")} } } }`;
  const call = await mockOf(
    t,
    `{ /exports: { post: ${begin('startExport')} }, /imports: { post: ${begin('startImport')} },
      '/runs/{runId}': { get: { parameters: [{ name: runId, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: It., ${json("{ $ref: '#/components/schemas/Run' }")} }, ${absent} } } },
      '/results/{resultId}': { get: { parameters: [{ name: resultId, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: It., ${json('{ type: object, required: [id], properties: { id: { type: integer } } }')} }, ${absent} } } } }`,
    `, Run: ${run}`,
  );
  const begun = await Promise.all(['/exports', '/imports'].map((url) => call('POST', url)));
  const results = new Set<string>();
  for (const { headers } of begun) {
    const path = String(headers['location']);
    t.equal((await call('GET', path)).status, 200, path);
    let { body } = await call('GET', path);
    for (const since = performance.now(); body.state !== 'done' && performance.now() - since < maxWaitMs; )
      body = (await call('GET', path)).body;
    results.add(body.result);
    t.equal((await call('GET', body.result)).status, 200, body.result);
  }
  t.equal(results.size, 2, 'each has a result of its own');
});

t.test('a refusal says why in a member with a pattern that the sentence fits', async (t) => {
  const failure = `{ type: object, required: [message], properties: { message: { type: string, pattern: '^[^\\x00]*$', example: Something } } }`;
  const list = `{ parameters: ${query(limit)}, responses: { '200': { description: Some. }, '400': { description: No., ${json(failure)} } } }`;
  const call = await mockOf(t, `{ /orgs: { get: ${list} } }`);
  t.match(await call('GET', '/orgs?limit=0'), { status: 400, body: { message: /limit/ } });
});
