import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeLog } from '../../service/layer.js';
import { readMockable } from '../src/any-contract.js';
import { buildMock } from '../src/app.js';

t.setTimeout(600_000);

/** Calls a mock of the document in a file. */
async function mockOf(t: Test, file: string) {
  const { contract, isOwn } = await readMockable(file);
  const app = await buildMock({ contract, log: makeLog('silent'), documentedFailures: !isOwn });
  t.teardown(() => app.close());
  const authorization = `Basic ${Buffer.from('ann:1').toString('base64')}`;
  return async (method: 'GET' | 'PUT' | 'POST', url: string, payload?: object) => {
    const answer = await app.inject({ method, url, headers: { authorization }, ...(payload && { payload }) });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
  };
}

t.test('a refusal says why in the form and with the status that the document has', async (t) => {
  const file = join(
    import.meta.dirname,
    '..',
    '..',
    'contract-tools',
    'faults',
    'contracts',
    'exhibits.yaml',
  );
  const call = await mockOf(t, file);
  const body = { inventoryNumber: 'A1', title: '', material: 'stone' };
  const unfit = await call('POST', '/exhibits', body);
  t.match(unfit.headers['content-type'], /^application\/problem\+json/);
  t.match(unfit.body, {
    title: 'Unprocessable Entity',
    status: 422,
    detail: /^body\/title must NOT have fewer/,
  });
  t.match((await call('GET', '/exhibits?limit=0')).body, {
    status: 400,
    detail: /^query\/limit must be an integer/,
  });
  t.match((await call('GET', '/nothing')).body, { title: 'Not Found', status: 404, detail: String });
  const wrong = await call('PUT', '/exhibits');
  t.match(wrong, {
    status: 405,
    headers: { allow: 'GET, POST' },
    body: { status: 405, title: 'Method Not Allowed' },
  });
});

t.test('a refusal says why in a member with a pattern that the sentence fits', async (t) => {
  const message = "{ type: string, pattern: '^[^\\x00]*$', example: Something }";
  const failure = `{ type: object, required: [message], properties: { message: ${message} } }`;
  const yaml = `{ openapi: 3.0.3, info: { title: Any, version: 1.0.0 }, paths: { /orgs: { get: {
    parameters: [{ in: query, name: limit, schema: { type: integer, minimum: 1 } }],
    responses: { '200': { description: Some. }, '400': { description: No., content: { application/json: { schema: ${failure} } } } } } } } }`;
  const call = await mockOf(t, join(t.testdir({ 'any.yaml': yaml }), 'any.yaml'));
  t.match(await call('GET', '/orgs?limit=0'), { status: 400, body: { message: /limit/ } });
});
