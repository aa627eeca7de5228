import { once } from 'node:events';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { startModel } from '../../../../test/faults/models.js';
import { call } from '../../../kit/testing.js';
import { bearerCheck } from '../../src/access/bearer.js';
import { hashToken, makeToken } from '../../src/access/token.js';
import { failureTypeOf } from '../../src/contract/answer/failure-type.js';
import type { AnyHandler } from '../../src/contract/handlers.js';
import { contractRoutes } from '../../src/contract/routes.js';
import { DatabaseUnavailableError } from '../../src/errors/database.js';
import { makeServer } from '../../src/http/server.js';
import { makeLog } from '../../src/log/log.js';
import { contractOf, documentOf } from '../support/contract/contract.js';
import { checking, refusesDocuments } from '../support/contract/documents.js';

/**
 * What src/ does for contracts that say more than the plant store's: test/faults/contracts/notes.yaml.
 */

async function startNotes(t: Test) {
  const token = makeToken();
  const { url } = await startModel(t, 'notes', [token]);
  const authorization = `Bearer ${token}`;
  return {
    url,
    authorization,
    ask: async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
      const answer = await call(url.origin, method, path, { headers, body });
      return {
        status: answer.status,
        type: answer.headers.get('content-type'),
        challenge: answer.headers.get('www-authenticate'),
        text: answer.text,
      };
    },
  };
}

const problem = 'application/problem+json; charset=utf-8';
const merge = 'application/merge-patch+json';

t.test('answers and failures have the media types that the contract gives them', async (t) => {
  const { ask, authorization, url } = await startNotes(t);
  const json = { authorization, 'content-type': 'application/vnd.note+json' };
  const made = await ask('POST', '/notes', json, '{"title":"A note","text":"of nothing"}');
  t.match(made, { status: 200, type: 'application/json; charset=utf-8' });
  const { note }: { note: number } = JSON.parse(made.text);
  const patched = await ask(
    'PATCH',
    `/notes/${note}`,
    { authorization, 'content-type': merge },
    '{"text":null}',
  );
  t.match(patched, { status: 204, type: null });
  t.match(await ask('GET', `/notes/${note}`), {
    status: 200,
    text: JSON.stringify({ title: 'A note', note }),
  });
  for (const [status, answer] of [
    [404, await ask('GET', '/notes/999')],
    [400, await ask('GET', '/notes/x')],
    [401, await ask('DELETE', '/notes/1')],
    [415, await ask('PATCH', `/notes/${note}`, { authorization, 'content-type': 'text/plain' }, '{}')],
    [404, await ask('GET', '/nothing')],
    [405, await ask('DELETE', '/notes')],
  ] as const) {
    t.match(answer, { status, type: problem });
    t.match(JSON.parse(answer.text), { error: status, message: String });
  }
  const socket = createConnection({ host: '127.0.0.1', port: Number(url.port) });
  await once(socket, 'connect');
  socket.write('nonsense\r\n\r\n');
  t.match(await text(socket), /^HTTP\/1\.1 400 [\s\S]*Content-Type: application\/problem\+json\r\n/);
});

t.test('access without a token works if the contract allows it, but a wrong token is refused', async (t) => {
  const { ask, authorization } = await startNotes(t);
  t.match(
    await ask('GET', '/docs'),
    { text: 'Operations with a lock take an access token.' },
    'the docs page says it',
  );
  t.match(await ask('GET', '/notes'), { status: 200, text: '[]' });
  t.match(await ask('GET', '/notes', { authorization }), { status: 200 });
  for (const wrong of [`Bearer ${makeToken()}`, 'Bearer x', 'bearer', 'Basic YTpi']) {
    t.match(await ask('GET', '/notes', { authorization: wrong }), {
      status: 401,
      challenge: /^Bearer realm="Notes"/,
    });
  }
  t.match(await ask('GET', '/notes', { authorization: 'Bearer x' }), { challenge: /error="invalid_token"/ });
  t.notMatch(await ask('DELETE', '/notes/1'), { challenge: /error=/ }, 'no token came');
  t.match(await ask('DELETE', '/notes/1', { authorization: 'Bearer x' }), {
    status: 401,
    challenge: /invalid_token/,
  });
});

t.test('two bearer schemes in one contract accept different tokens', async (t) => {
  const log = makeLog('silent');
  const contract = await contractOf(
    t,
    `${documentOf(`  /a: { get: { operationId: a, responses: { 200: { description: A., content: { application/json: { schema: { type: string } } } }, default: { description: B. } } } }`)}
security: [{ key: [] }, { badge: [] }]
components: { securitySchemes: { key: { type: http, scheme: bearer }, badge: { type: http, scheme: bearer } } }`,
  );
  const app = await makeServer({ contract, log });
  t.teardown(() => app.close());
  const [good, other, broken] = [makeToken(), makeToken(), makeToken()];
  const checkOf = (token: string, owner: string) =>
    bearerCheck(app, {
      find: async (hash) => {
        if (hash === hashToken(broken)) throw new DatabaseUnavailableError(new Error('Gone.'));
        return hash === hashToken(token) ? { owner, remainingMs: null } : undefined;
      },
    });
  const security = { key: await checkOf(good, 'key'), badge: await checkOf(other, 'badge') };
  const handlers: Record<string, AnyHandler> = { a: async ({ caller }) => ({ status: 200, body: caller }) };
  await app.register(contractRoutes, { contract, handlers, security });
  const ask = async (token: string) => {
    const { statusCode, body } = await app.inject({
      url: '/a',
      headers: { authorization: `Bearer ${token}` },
    });
    return [statusCode, JSON.parse(body)];
  };
  t.strictSame(await ask(good), [200, 'key']);
  t.strictSame(await ask(other), [200, 'badge']);
  t.match(await ask(makeToken()), [401, { error: 401 }]);
  t.match(await ask(broken), [503, { error: 503 }]);
});

t.test(
  'failures outside any operation have the media type of the other failures, if all share one',
  async (t) => {
    const typeOf = async (responses: string) => {
      const { operations } = await contractOf(
        t,
        documentOf(`  /a: { get: { operationId: a, responses: { ${responses} } } }`),
      );
      return failureTypeOf(operations);
    };
    const answered = (key: string, type: string) =>
      `${key}: { description: A., content: { ${type}: { schema: {} } } }`;
    t.equal(await typeOf(answered('200', 'application/a+json')), 'application/json');
    t.equal(await typeOf(answered('404', 'application/a+json')), 'application/a+json');
    t.equal(await typeOf('404: { description: A. }'), 'application/json');
    t.equal(
      await typeOf(`${answered('404', 'application/a+json')}, ${answered('5XX', 'application/b+json')}`),
      'application/json',
    );
  },
);

t.test("a contract whose schema of errors does not fit the service's failures is refused", async (t) => {
  const responses = (schema: string) =>
    `200: { description: A. }, default: { description: B., headers: { Why: { required: true, schema: { type: string } } }, content: { application/problem+json: { schema: ${schema} } } }`;
  const answering = (schema: string) =>
    documentOf(`  /a: { get: { operationId: a, responses: { ${responses(schema)} } } }`);
  const error = 'error: { type: integer, format: int32 }, message: { type: string }';
  await t.resolves(
    checking(t, answering(`{ type: object, properties: { ${error} } }`)),
    'default documents all statuses',
  );
  await refusesDocuments(t, checking, answering, {
    [`§{ type: object, required: [title], properties: { title: { type: string }, ${error} } }`]: `a failure is answered {"error":400,"message":"What is wrong."}, which does not fit: a 400: body must have required property 'title'. Change this, or packages/service/src/errors/failure.ts.`,
    '{ type: object, properties: { title: { type: string } } }':
      /a 400: body\/error is not a member that the contract has\./,
    '{ type: string, default: a }': /^[^\n]*"default" is not supported[^\n]*$/,
  });
});
