import t from 'tap';
import { buildMock } from '../../../contract-mock/index.js';
import { makeLog } from '../../src/log/log.js';
import { contractOf, documentOf, serve } from '../support/contract/contract.js';

/** OpenAPI 3.0.3, "Path Templating Matching". */

const responses = 'responses: { 204: { description: Done. } }';
const inPath = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`;
const yaml = documentOf(`
  /plants/{id}:
    parameters: [${inPath('id')}]
    delete: { operationId: deletePlant, ${responses} }
    put:
      operationId: changePlant
      requestBody: { x-limits: { bytes: 10, depth: 1 }, content: { application/json: { schema: {} } } }
      ${responses}
  /plants/count:
    get: { operationId: countPlants, ${responses} }
  /plants/{id}/pots:
    parameters: [${inPath('id')}]
    get: { operationId: listPots, ${responses} }
    post: { operationId: addPot, ${responses} }
  /plants/count/{year}:
    parameters: [${inPath('year')}]
    get: { operationId: countOfYear, ${responses} }`);

t.test('a concrete path wins over a templated one, for every method', async (t) => {
  const { call, seen } = await serve(t, yaml);
  for (const [path, allowed] of [
    ['/plants/count', 'GET'],
    ['/plants/c%6Funt?a=1', 'GET'],
    ['/plants/count2', 'PUT, DELETE'],
    ['/plants/7/pots', 'GET, POST'],
    ['/plants/count/pots', 'GET'],
    ['/plants/count/2026', 'GET'],
  ] as const) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await call(method, path);
      const isAllowed = allowed.split(', ').includes(method);
      t.equal(status, isAllowed ? 204 : 405, `${method} ${path}`);
      t.equal(headers.get('allow'), isAllowed ? null : allowed, `${method} ${path}`);
    }
  }
  t.notOk(
    seen.some(({ path }) => Object(path).id === 'count'),
    'no operation of the templated path was called',
  );
});

t.test('a body for a method that only the templated path has is refused before it is read', async (t) => {
  const { call } = await serve(t, yaml);
  const body = '1'.repeat(100);
  t.equal((await call('PUT', '/plants/1', { body })).status, 413);
  t.equal((await call('PUT', '/plants/count', { body })).status, 405);
});

t.test('a preflight allows the methods of the concrete path only', async (t) => {
  const contract = await contractOf(t, yaml);
  const origin = 'https://app.example';
  const app = await buildMock({ contract, log: makeLog('silent'), corsOrigins: new Set([origin]) });
  t.teardown(() => app.close());
  for (const [url, methods] of [
    ['/plants/count', 'GET'],
    ['/plants/1', 'PUT, DELETE'],
  ] as const) {
    const headers = { host: 'here', origin, 'access-control-request-method': 'DELETE' };
    const answer = await app.inject({ method: 'OPTIONS', url, headers });
    t.equal(answer.headers['access-control-allow-methods'], methods, url);
  }
});

t.test('the names of parameters do not make a path more concrete', async (t) => {
  const { call } = await serve(
    t,
    documentOf(`
  /files/{identifier}:
    parameters: [${inPath('identifier')}]
    get: { operationId: readFile, ${responses} }
  /files/{id}.js:
    parameters: [${inPath('id')}]
    delete: { operationId: deleteScript, ${responses} }`),
  );
  for (const [method, path, status] of [
    ['GET', '/files/a', 204],
    ['DELETE', '/files/a', 405],
    ['DELETE', '/files/a.js', 204],
    ['GET', '/files/a.js', 405],
  ] as const)
    t.equal((await call(method, path)).status, status, `${method} ${path}`);
});
