import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { orchardsFile } from '../../../contract-tools/faults.js';
import { valueAt } from '../../../exact-json/index.js';
import { contractFile, projectFolder } from '../../../kit/index.js';
import { call, makeFolder, runTypeScript, startProgram, until } from '../../../kit/testing.js';
import { makeLog, makeToken } from '../../../service/layer.js';
import { newPlantText } from '../../../service/test/support/plants.js';
import { readContract, readContractText } from '../../../service-tools/index.js';
import { readMockable } from '../../src/any-contract.js';
import { buildMock } from '../../src/app.js';
import { forReading } from '../../src/mock-command.js';

t.setTimeout(600_000);
const contract = await readContract(contractFile);

async function startMock(t: Test) {
  const app = await buildMock({ contract, log: makeLog('silent') });
  t.teardown(() => app.close());
  const authorization = `Bearer ${makeToken()}`;
  return (method: 'GET' | 'POST' | 'DELETE', url: string, headers = {}, payload?: string) =>
    app.inject({
      method,
      url,
      headers: { authorization, ...(payload && { 'content-type': 'application/json' }), ...headers },
      ...(payload && { payload }),
    });
}

const plant = newPlantText('{"id":7,"name":"Ficus"}');

/** An example of the answer 200 of an operation on /plants. */
function exampleOf(method: string, name: string): unknown {
  const content = ['paths', '/plants', method, 'responses', '200', 'content', 'application/json'];
  return valueAt(contract.root.value, [...content, 'examples', name, 'value']);
}

t.test('the mock answers with the documented examples', async (t) => {
  const call = await startMock(t);
  const created = await call('POST', '/plants', {}, plant);
  t.strictSame([created.statusCode, created.json()], [200, exampleOf('post', 'plant')]);
  t.strictSame((await call('GET', '/plants')).json(), exampleOf('get', 'plants'));
  const deleted = await call('DELETE', '/plants/7');
  t.strictSame([deleted.statusCode, deleted.payload], [204, '']);
});

t.test('the mock refuses what the service refuses', async (t) => {
  const call = await startMock(t);
  for (const [status, answer] of [
    [400, await call('POST', '/plants', {}, newPlantText('{"id":9223372036854775808,"name":"Ficus"}'))],
    [400, await call('GET', '/plants?limit=0')],
    [401, await call('GET', '/plants', { authorization: 'Basic plant_x' })],
    [404, await call('GET', '/nothing')],
    [405, await call('DELETE', '/plants')],
    [413, await call('POST', '/plants', {}, plant + ' '.repeat(2 ** 16))],
    [415, await call('POST', '/plants', { 'content-type': 'text/plain' }, plant)],
  ] as const) {
    t.equal(answer.statusCode, status);
    t.match(answer.json(), { error: status, message: String });
  }
});

t.test('the mock reads defaults, headers, cookies and lists as the service does', async (t) => {
  const parameters = [
    '{ name: X-Bed, in: header, required: true, schema: { type: integer, format: int32 } }',
    '{ name: theme, in: cookie, schema: { type: string, enum: [dark, light] } }',
    '{ name: tag, in: query, explode: false, schema: { type: array, maxItems: 2, items: { type: string } } }',
  ];
  const text = contract.text
    .replace(
      '        - name: limit\n',
      `${parameters.map((one) => `        - ${one}\n`).join('')}        - name: limit\n`,
    )
    .replace('            minimum: 1\n', '            minimum: 1\n            default: 1\n');
  const app = await buildMock({
    contract: await readContractText(text, contractFile),
    log: makeLog('silent'),
  });
  t.teardown(() => app.close());
  const call = (query: string, headers = {}) =>
    app.inject({
      method: 'GET',
      url: `/plants${query}`,
      headers: { authorization: `Bearer ${makeToken()}`, ...headers },
    });
  t.equal((await call('', { 'x-bed': '1' })).json().length, 1, 'the default limits the example');
  t.equal((await call('?limit=2&tag=a,b', { 'x-bed': '1', cookie: 'theme=dark' })).json().length, 2);
  for (const [query, headers, message] of [
    ['', {}, 'header/X-Bed is missing.'],
    ['', { 'x-bed': 'x', prefer: 'code=401' }, /^header\/X-Bed must be an integer/],
    ['', { 'x-bed': '1', cookie: 'theme=red' }, /^cookie\/theme must be one of "dark", "light"/],
    ['?tag=a,b,c', { 'x-bed': '1' }, /^query\/tag must NOT have more than 2 items/],
  ] as const) {
    const answer = await call(query, headers);
    t.equal(answer.statusCode, 400);
    t.match(answer.json(), { error: 400, message });
  }
});

t.test('the mock gives every documented answer with its headers if "Prefer" asks for it', async (t) => {
  const call = await startMock(t);
  for (const { id, method, path, responses } of contract.operations) {
    for (const status of responses.keys()) {
      const body = method === 'POST' ? plant : undefined;
      const answer = await call(
        // The contract uses only these three methods.
        method as 'GET' | 'POST' | 'DELETE',
        path.replace('{id}', '7'),
        { prefer: `code=${status}` },
        body,
      );
      t.equal(answer.statusCode, status, `${id} ${status}`);
      t.equal(answer.headers['preference-applied'], `code=${status}`);
      if (status >= 400) t.match(answer.json(), { error: status, message: String });
      if (status === 401) t.match(answer.headers['www-authenticate'], /^Bearer realm=/);
      if (status === 503) t.equal(answer.headers['retry-after'], '1');
    }
  }
});

t.test('the mock picks an example by "Prefer", and answers 400 with a list to others', async (t) => {
  const call = await startMock(t);
  const named = await call('POST', '/plants', { prefer: 'code=400, example=range' }, plant);
  t.match(named.json().message, /must be an integer from/);
  const unknown = await call('GET', '/plants', { prefer: 'code=418' });
  t.equal(unknown.statusCode, 400);
  t.match(
    unknown.json().message,
    /^listPlants does not document this answer\. It documents: 200 plants, 400 missing, 400 range, 400 zero, /,
  );
});

t.test(
  'the mock answers with a range and the default, in their media types, and to public requests',
  async (t) => {
    const file = join(projectFolder, 'test', 'faults', 'contracts', 'notes.yaml');
    const credentials = [makeToken()];
    const app = await buildMock({ contract: await readContract(file), log: makeLog('silent'), credentials });
    t.teardown(() => app.close());
    const authorization = `Bearer ${credentials[0]}`;
    const get = async (url: string, headers: Record<string, string> = {}) => {
      const { statusCode, headers: sent, payload } = await app.inject({ url, headers });
      return [statusCode, sent['content-type'], payload && JSON.parse(payload).title];
    };
    const json = 'application/json; charset=utf-8';
    const problem = 'application/problem+json; charset=utf-8';
    t.strictSame(await get('/notes/1'), [200, json, 'A note'], 'nobody in particular');
    t.match(await get('/notes/1', { authorization: 'Bearer x' }), [401, problem]);
    t.match(await get('/notes/1', { prefer: 'code=418' }), [418, problem]);
    t.match(await get('/notes/1', { prefer: 'code=103' }), [400, problem]);
    const add = (prefer: string) =>
      app.inject({
        method: 'POST',
        url: '/notes',
        headers: { authorization, 'content-type': 'application/vnd.note+json', prefer },
        payload: '{"title":"A"}',
      });
    t.match(await add(''), { statusCode: 200, payload: '{"title":"A note","note":1}' });
    t.match(await add('code=207'), { statusCode: 207, headers: { 'preference-applied': 'code=207' } });
    t.match(await add('code=422'), { statusCode: 422, headers: { 'content-type': problem } });
    t.match(await add('code=300'), { statusCode: 400 });
  },
);

t.test('the mock cuts its example list at `limit`', async (t) => {
  const call = await startMock(t);
  t.strictSame((await call('GET', '/plants?limit=1')).json(), Object(exampleOf('get', 'plants')).slice(0, 1));
});

t.test('the command mock refuses an argument too many', async (t) => {
  for (const surplus of [['b.yaml'], ['--contract', 'b.yaml']]) {
    const ended = await runTypeScript(join(projectFolder, 'scripts', 'mock.ts'), [orchardsFile, ...surplus], {
      env: { ...process.env, PORT: '0' },
    });
    t.match(ended, { code: 2, err: / is one argument too many/ });
  }
});

t.test('the command mock refuses --stateful, and says what to do instead', async (t) => {
  const ended = await runTypeScript(join(projectFolder, 'scripts', 'mock.ts'), ['--stateful'], {
    env: { ...process.env, PORT: '0' },
  });
  t.match(ended, { code: 2, err: /no --stateful any more: .* start the real server/ });
});

t.test('the start of the mock says how many credentials of a list are good', async (t) => {
  const credentials = ['first', 'second'].flatMap((one) => ['--credential', one]);
  const { stderr } = startProgram(t, 'scripts/mock.ts', credentials, { environment: { PORT: '0' } });
  const told = await until('it is ready', () => (stderr().includes('stored') ? stderr() : ''));
  t.match(told, /credentials {2}a bearer token: 2 are good\n/);
});

t.test('the mock says which operation of a foreign contract is left out, and why', async (t) => {
  t.match((await readMockable(orchardsFile)).leftOut, [/^putPhoto is left out: /]);
});

t.test('the mock serves a document with members that are named as keywords of JSON Schema', async (t) => {
  const file = join(await makeFolder(t), 'keywords.yaml');
  const members =
    '{ $id: { type: string }, $ref: { type: string }, name: { type: string, example: A name } }';
  const schema = `{ type: object, required: [$id], properties: ${members} }`;
  await writeFile(
    file,
    `{ openapi: 3.0.3, info: { title: Keywords, version: 1.0.0 }, paths: { /files: { get: { operationId: listFiles,
      responses: { '200': { description: It., content: { application/json: { schema: ${schema} } } } } } } } }`,
  );
  const { contract, isOwn, leftOut } = await readMockable(file);
  const app = await buildMock({
    ...{ contract, log: makeLog('silent'), documentedFailures: !isOwn },
  });
  t.same(leftOut, []);
  t.match(await app.inject('/files'), { statusCode: 200, payload: '{"$id":"Id","name":"A name"}' });
  await app.close();
});

/** A mock of a document with one operation, GET /files. */
async function mockOf(t: Test, responses: string, parameters = '[]') {
  const file = join(await makeFolder(t), 'files.yaml');
  await writeFile(
    file,
    `{ openapi: 3.0.3, info: { title: Files, version: 1.0.0 }, paths: { /files: { get: { operationId: listFiles,
      parameters: ${parameters}, responses: ${responses} } } } }`,
  );
  const { contract, isOwn, leftOut } = await readMockable(file);
  const app = await buildMock({
    ...{ contract, log: makeLog('silent'), documentedFailures: !isOwn },
  });
  t.teardown(() => app.close());
  return { app, leftOut };
}

t.test('the mock serves examples with members that are named as keywords of JSON Schema', async (t) => {
  const schema = '{ type: object, properties: { name: { type: string } } }';
  const examples = '{ one: { value: { $id: an-id, name: A name } }, other: { value: { $id: an-id } } }';
  const { app, leftOut } = await mockOf(
    t,
    `{ '200': { description: It., content: { application/json: { schema: ${schema}, examples: ${examples} } } } }`,
  );
  t.same(leftOut, []);
  t.match(await app.inject('/files'), { statusCode: 200, payload: '{"$id":"an-id","name":"A name"}' });
});

t.test('the mock makes a value instead of an example that its schema cannot write', async (t) => {
  const schema =
    '{ type: object, required: [name], properties: { name: { type: string, enum: [made] }, size: { type: integer } } }';
  const { app, leftOut } = await mockOf(
    t,
    `{ '200': { description: It., content: { application/json: { schema: ${schema}, example: { size: 1 } } } } }`,
  );
  t.same(leftOut, [
    'The mock makes a value instead of the example of listFiles, 200: {"size":1} lacks the member "name".',
  ]);
  const answer = await app.inject('/files');
  t.match(answer, { statusCode: 200 });
  t.match(answer.json(), { name: 'made' });
});

t.test('the mock answers a wrong request as documented, whatever the form of failures', async (t) => {
  const object = (name: string) =>
    `{ type: object, required: [${name}], properties: { ${name}: { type: string, enum: [A] } } }`;
  const failure = `{ anyOf: [${object('code')}, ${object('reason')}] }`;
  const { app } = await mockOf(
    t,
    `{ '200': { description: It. }, default: { description: No., content: { application/json: { schema: ${failure} } } } }`,
    '[{ name: size, in: query, required: true, schema: { type: integer } }]',
  );
  const answer = await app.inject('/files');
  t.match(answer, { statusCode: 400, payload: /^\{"(code|reason)":"A"/ });
});

t.test('the mock writes sentences to a terminal', (t) => {
  const written: string[] = [];
  const log = makeLog('warn', forReading({ write: (text) => void written.push(text) }));
  log.warn('a warning');
  log.warn({ err: new Error('the reason') }, 'a failure');
  t.same(written, ['  a warning\n', '  a failure: the reason\n']);
  t.end();
});

t.test(
  'the mock serves a document that has the path / and paths that a router cannot tell apart',
  async (t) => {
    const folder = await makeFolder(t);
    const file = join(folder, 'root.yaml');
    const answers =
      'responses: { 200: { description: It., content: { application/json: { schema: { type: string, pattern: "(?=b)a" } } } } }';
    const named = (name: string) =>
      `  /{${name}}/x: { get: { operationId: ${name}, parameters: [{ name: ${name}, in: path, required: true, schema: { type: string } }], ${answers} } }`;
    const paths = [`  /: { get: { operationId: root, ${answers} } }`, named('one'), named('other')];
    await writeFile(
      file,
      ['openapi: 3.0.3', 'info: { title: Root, version: "1" }', 'paths:', ...paths].join('\n'),
    );
    const { contract, leftOut } = await readMockable(file);
    t.match(leftOut.join('\n'), /^other is left out: its path is that of one/m);
    const app = await buildMock({ contract, log: makeLog('silent'), documentedFailures: true });
    t.teardown(() => app.close());
    t.equal((await app.inject({ url: '/' })).statusCode, 200, 'and not the way to the docs page');
    t.equal((await app.inject({ url: '/docs' })).statusCode, 200);
  },
);

t.test('the mock prints its address, and which credentials are good', async (t) => {
  const { stderr } = startProgram(t, 'scripts/mock.ts', [], { environment: { PORT: '0' } });
  const told = await until('it is ready', () => (stderr().includes('nothing is stored') ? stderr() : ''));
  const [, address = ''] = /ready at (\S+)/.exec(told) ?? [];
  t.match(told, /credentials {2}a bearer token: any text will do/);
  t.equal((await call(address, 'GET', '/plants', { token: 'mine' })).status, 200);
  t.equal((await call(address, 'GET', '/plants')).status, 401);
  t.equal((await call(address, 'GET', '/openapi.yaml')).status, 200);
});
