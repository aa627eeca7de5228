import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeLog } from '../../service/layer.js';
import { readMockable } from '../src/any-contract.js';
import { buildMock } from '../src/app.js';

t.setTimeout(600_000);

/** A mock of a document with these paths and schemas, in flow style. */
async function mockOf(t: Test, paths: string, schemas = '{}', { openapi = '3.0.3' } = {}) {
  const yaml = `{ openapi: ${openapi}, info: { title: Any, version: 1.0.0 }, paths: ${paths}, components: { schemas: ${schemas} } }`;
  const file = join(t.testdir({ 'any.yaml': yaml }), 'any.yaml');
  const { contract, isOwn, leftOut } = await readMockable(file);
  const app = await buildMock({
    ...{ contract, log: makeLog('silent'), documentedFailures: !isOwn },
  });
  t.teardown(() => app.close());
  const post = async (url: string, payload: string) => {
    const headers = { 'content-type': 'application/json' };
    return (await app.inject({ method: 'POST', url, headers, payload })).statusCode;
  };
  return { app, get: (url: string) => app.inject(url), post, leftOut };
}

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const tree = "{ $ref: '#/components/schemas/Tree' }";

t.test('the mock answers a schema that contains itself, and checks it at every depth', async (t) => {
  const { get, post, leftOut } = await mockOf(
    t,
    `{ /tree: { get: { responses: { '200': { description: It., ${json(tree)} } } } },
       /trees: { get: { responses: { '200': { description: It., ${json(`{ type: array, minItems: 1, items: ${tree} }`)} } } },
         post: { requestBody: { required: true, ${json(tree)} }, responses: { '204': { description: Made. } } } } }`,
    `{ Tree: { type: object, required: [name], properties: { name: { type: string }, age: { type: integer },
       children: { type: array, items: ${tree} }, graft: { oneOf: [{ type: string }, ${tree}] } } } }`,
  );
  t.same(leftOut, []);
  t.same((await get('/tree')).json(), { name: 'Name' });
  t.same((await get('/trees')).json(), [{ name: 'Name' }]);
  for (const [body, status] of [
    ['{"name":"a"}', 204],
    ['{"name":"a","children":[{"name":"b","children":[]}],"graft":{"name":"c"}}', 204],
    ['[]', 400],
    ['{}', 400],
    ['false', 400],
    ['{"name":5}', 400],
    ['{"name":"a","children":[{"name":"b","children":[{"age":1}]}]}', 400],
    ['{"name":"a","graft":{"name":"b","children":[{"name":"c","age":"1"}]}}', 400],
  ] as const) {
    t.equal(await post('/trees', body), status, body);
  }
});

t.test('the mock serves a path whose parameters have names that no router reads', async (t) => {
  const parameter = (name: string, schema: string) =>
    `{ name: ${name}, in: path, required: true, schema: ${schema} }`;
  const { get, leftOut } = await mockOf(
    t,
    `{ '/drives/{drive-id}/{drive.id}': { get: { parameters: [${parameter('drive-id', '{ type: integer }')},
         ${parameter('drive.id', "{ type: string, pattern: '^(a+)+$' }")}],
       responses: { '200': { description: It., ${json('{ type: string, example: a }')} } } } },
       '/{team.id}': { get: { parameters: [${parameter('team.id', '{ type: string, maxLength: 3 }')}],
       responses: { '204': { description: It. } } } } }`,
  );
  t.notMatch(leftOut, [/is left out/]);
  for (const [path, status] of [
    ['/drives/7/aa', 200],
    ['/drives/seven/aa', 400],
    ['/drives/7/b', 400],
    ['/abc', 204],
    ['/abcd', 400],
  ] as const)
    t.equal((await get(path)).statusCode, status, path);
});

t.test('the mock leaves out an operation without answers, which 3.1 allows, and says so', async (t) => {
  const { get, leftOut } = await mockOf(
    t,
    `{ /a: { get: { operationId: getA } }, /b: { get: { responses: { '200': { description: It. } } } } }`,
    '{}',
    { openapi: '3.1.0' },
  );
  t.match(leftOut.join('\n'), /getA is left out: the document describes no answer of it/);
  t.equal((await get('/a')).statusCode, 404);
  t.equal((await get('/b')).statusCode, 200);
});

t.test('the mock says the faults of a document beside which it can be served', async (t) => {
  const { leftOut } = await mockOf(
    t,
    `{ '/a/{id}': { get: { operationId: a, responses: { '200': { description: It. } } } },
       /b: { get: { responses: { '200': { description: It. } } } } }`,
  );
  t.match(leftOut.join('\n'), /GET \/a\/\{id\} does not describe \{id\}/);
});

t.test('the mock sends examples of other media types as they are, with their type', async (t) => {
  const { get, leftOut } = await mockOf(
    t,
    `{ /report: { get: { operationId: report, responses: { '200': { description: It., content: { text/csv: { schema: { type: string }, example: "id\\n1\\n" } } } } } },
       /bare: { get: { operationId: bare, responses: { '200': { description: It., content: { application/json: { example: { b: 9007199254740993, a: [x] } } } } } } },
       /page: { get: { operationId: page, parameters: [{ name: q, in: query, required: true, schema: { type: string } }],
         responses: { '200': { description: It., content: { text/html: { schema: { type: string }, examples: { one: { value: <p> } } } } },
           '400': { description: No., content: { text/plain: { schema: { type: string }, example: No. } } } } } },
       /xml: { get: { operationId: xml, responses: { '200': { description: It., content: { application/xml: { schema: { type: object }, example: { a: 1 } } } } } } } }`,
  );
  const answer = async (url: string) => {
    const { statusCode, headers, payload } = await get(url);
    return [statusCode, headers['content-type'], payload];
  };
  t.strictSame(await answer('/report'), [200, 'text/csv', 'id\n1\n']);
  t.match(await answer('/bare'), [200, /^application\/json/, '{"b":9007199254740993,"a":["x"]}']);
  t.match(await answer('/page?q=1'), [200, /^text\/html/, '<p>']);
  t.match(await answer('/page'), [400, /^text\/plain/, 'query/q is missing.']);
  t.strictSame(await answer('/xml'), [200, undefined, '']);
  t.match(leftOut, [/^The mock does not write the body application\/xml of xml, 200: /]);
});

t.test('the mock drops a rule that it cannot check instead of the operation, and says so', async (t) => {
  const parameters = `[
    { name: per_page, in: query, schema: { oneOf: [{ type: integer, format: int32 }, { type: string, enum: [all] }] } },
    { name: filter, in: query, schema: { type: object } },
    { name: phone, in: query, schema: { type: string, format: phone } },
    { name: rate, in: query, schema: { type: number, multipleOf: 0.5, maximum: 9 } },
    { name: level, in: query, schema: { enum: [1, 2] } }]`;
  const { get, post, leftOut } = await mockOf(
    t,
    `{ /lists: { get: { operationId: lists, parameters: ${parameters}, responses: { '200': { description: It. } } },
         post: { operationId: make, requestBody: { required: true, ${json("{ $ref: '#/components/schemas/Own' }")} }, responses: { '204': { description: Made. } } } } }`,
    "{ Own: { anyOf: [{ type: string }, { $ref: '#/components/schemas/Own' }] } }",
  );
  for (const [query, status] of [
    ['', 200],
    ['?per_page=all', 200],
    ['?per_page=7', 200],
    ['?per_page=few', 400],
    ['?per_page=2147483648', 400],
    ['?filter=a', 200],
    ['?phone=a', 200],
    ['?rate=0.3', 200],
    ['?rate=9.5', 400],
    ['?level=2', 200],
    ['?level=3', 400],
  ] as const) {
    t.equal((await get(`/lists${query}`)).statusCode, status, query);
  }
  t.equal(await post('/lists', '"a"'), 204, 'a schema without an end is no rule');
  t.match(leftOut.join('\n'), /^lists does not check its parameter filter: /m);
  t.match(leftOut.join('\n'), /^make does not check its body: .*own alternative/m);
  t.match(leftOut.join('\n'), /^The mock does not check these rules: format: "phone"; multipleOf: 0\.5\.$/m);
});

t.test('the mock serves an example as it is, also members that its schema does not name', async (t) => {
  const schema = '{ type: object, properties: { name: { type: string } } }';
  const { get } = await mockOf(
    t,
    `{ /a: { get: { responses: { '200': { description: It., content: { application/json: { schema: ${schema}, example: { name: a, size: 1 } } } } } } } }`,
  );
  t.equal((await get('/a')).payload, '{"name":"a","size":1}');
});

for (const both of ['GET, HEAD', 'HEAD, GET'])
  t.test(`the mock answers HEAD as its own operation says, beside a GET: ${both}`, async (t) => {
    const operations = both.split(', ').map((method) => {
      const status = method === 'GET' ? '200' : '204';
      return `${method.toLowerCase()}: { responses: { '${status}': { description: It. } } }`;
    });
    const { app } = await mockOf(t, `{ /a: { ${operations.join(', ')} } }`);
    t.equal((await app.inject({ method: 'HEAD', url: '/a' })).statusCode, 204);
    t.match((await app.inject({ method: 'POST', url: '/a' })).headers, { allow: 'GET, HEAD' });
  });

t.test('no pattern of a request holds the mock, and each is checked', async (t) => {
  const patterns: readonly (readonly [string, string, string])[] = [
    ['^(a+)+$', `${'a'.repeat(60)}!`, 'b'],
    ['^(\\w+\\s?)*$', `${'a'.repeat(60)}!`, '!'],
    ['^https://([a-z0-9]+[.-]?)+$', `https://${'a'.repeat(60)}!`, 'a'],
    ['^id-(\\w+\\s?)*$', `id-${'a'.repeat(60)}!`, 'a'],
    ['^\\$(\\d+,?)+$', `$${'1'.repeat(60)}!`, 'a'],
    ['^(?:a|a)*b$', 'a'.repeat(60), 'c'],
    ['^[a-z]+(?:-[a-z]+)*$', `${'a-'.repeat(5_000)}`, 'a-'],
  ];
  const members = patterns.map(([pattern], index) => `m${index}: { type: string, pattern: '${pattern}' }`);
  const names = `{ type: object, patternProperties: { '^(x+)+$': { type: integer } }, additionalProperties: false }`;
  const parameter = `{ name: q, in: query, schema: { type: string, pattern: '^q(b+)+$' } }`;
  const { post, leftOut } = await mockOf(
    t,
    `{ /texts: { post: { operationId: send, parameters: [${parameter}], requestBody: { required: true, ${json(`{ type: object, properties: { ${members.join(', ')}, names: ${names} } }`)} },
       responses: { '204': { description: Sent. }, '400': { description: No. } } } } }`,
    '{}',
    { openapi: '3.1.0' },
  );
  t.match(leftOut.join(), /patternProperties: .*additionalProperties: false/, 'names are not checked');
  for (const [index, [pattern, slow, wrong]] of patterns.entries()) {
    t.equal(await post('/texts', JSON.stringify({ [`m${index}`]: wrong })), 400, `${pattern} is checked`);
    await post('/texts', JSON.stringify({ [`m${index}`]: slow }));
  }
  t.equal(await post('/texts?q=a', '{}'), 400);
  await post(`/texts?q=q${'b'.repeat(60)}!`, '{}');
  t.equal(await post('/texts', JSON.stringify({ names: { [`${'x'.repeat(60)}!`]: 1 } })), 204);
});

t.test('a member that is readOnly need not be sent, and must fit if it is', async (t) => {
  const item =
    '{ type: object, required: [id, name], properties: { id: { type: string, readOnly: true }, name: { type: string } } }';
  const { post } = await mockOf(
    t,
    `{ /items: { post: { requestBody: { required: true, ${json(item)} }, responses: { '204': { description: Made. } } } } }`,
  );
  t.equal(await post('/items', '{"name":"a"}'), 204);
  t.equal(await post('/items', '{"name":"a","id":"7"}'), 204);
  t.equal(await post('/items', '{"name":"a","id":[[]]}'), 400);
  t.equal(await post('/items', '{"id":"7"}'), 400);
});

t.test('where the document has no example, a person can read what stands in a member', async (t) => {
  const { get } = await mockOf(
    t,
    `{ /people: { get: { responses: { '200': { description: They., ${json(`{ type: array, minItems: 1, items: {
         type: object, required: [firstName, zip_code, kind, note, id, tags, home], properties: {
           firstName: { type: string }, zip_code: { type: string, pattern: '^[0-9]{4}$' }, kind: { type: string, enum: [b, c] },
           note: { type: string, example: Hello. }, id: { type: string, maxLength: 1 },
           tags: { type: array, minItems: 1, items: { type: string } },
           home: { type: object, required: [street], properties: { street: { type: string, minLength: 20 } } } } } }`)} } } } } }`,
  );
  const [person] = (await get('/people')).json();
  t.match(person, { firstName: 'First name', zip_code: /^\d{4}$/, kind: 'b', note: 'Hello.', id: /^.$/ });
  t.match(person, { tags: ['Tags'], home: { street: 'Street street street' } });
});
