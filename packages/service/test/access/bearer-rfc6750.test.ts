import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fastify } from 'fastify';
import t from 'tap';
import { contractFile } from '../../../kit/index.js';
import { until } from '../../../kit/testing.js';
import { readContract } from '../../../service-tools/index.js';
import { bearerCheck } from '../../src/access/bearer.js';
import { hashToken, makeToken } from '../../src/access/token.js';
import { startService } from '../support/service.js';

const service = await startService(t);
const { call, tokens, log } = service;
const { operations } = await readContract(contractFile);
const requests = operations.map(({ method, path }) => ({ method, path: path.replace(/\{[^}]*\}/g, '1') }));

/** A well-formed token that was never issued. */
const unknown = makeToken();
const bare = 'Bearer realm="Plant Store"';
const invalid = /^Bearer realm="Plant Store", error="invalid_token", error_description="[^"]+"$/;

t.test('section 3.1: a request without credentials gets a challenge with no error code', async (t) => {
  for (const { method, path } of requests) {
    for (const headers of [
      {},
      { authorization: '' },
      { authorization: 'Basic b3duZXI6cGFzc3dvcmQ=' },
      { authorization: 'Bearer' },
    ]) {
      const answer = await call(method, path, { token: undefined, headers });
      t.match(
        answer,
        { status: 401, body: { error: 401, message: String } },
        `${method} ${path} ${headers.authorization}`,
      );
      t.equal(answer.headers.get('www-authenticate'), bare);
    }
  }
});

t.test(
  'section 3.1: a malformed, unknown, expired or revoked token gets a challenge with the error invalid_token',
  async (t) => {
    const revoked = await tokens.issue('owner');
    const { id } = (await tokens.list()).at(-1) ?? { id: 0n };
    await tokens.revoke(id);
    const expired = await tokens.issue('owner', -1);
    for (const { method, path } of requests) {
      for (const token of [
        'x',
        `${service.token}x`,
        `${service.token} ${service.token}`,
        '"',
        unknown,
        revoked,
        expired,
      ]) {
        const answer = await call(method, path, { token });
        t.match(answer, { status: 401, body: { error: 401, message: String } }, `${method} ${path} ${token}`);
        t.match(answer.headers.get('www-authenticate'), invalid);
      }
    }
  },
);

t.test('RFC 9110, section 11.1: the scheme "Bearer" is accepted in any letter case', async (t) => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    const { status } = await call('GET', '/plants', {
      token: undefined,
      headers: { authorization: `${scheme} ${service.token}` },
    });
    t.equal(status, 200, scheme);
  }
});

t.test('section 2: a token in the query or in the body is ignored', async (t) => {
  t.equal((await call('GET', `/plants?access_token=${service.token}`, { token: undefined })).status, 401);
  t.equal(
    (await call('POST', '/plants', { token: undefined, body: `{"access_token":"${service.token}"}` })).status,
    401,
  );
});

t.test('a request without a valid token is a 401, whatever else is wrong with it', async (t) => {
  const faults = [
    { method: 'POST', path: '/plants', body: 'x'.repeat(100_000) },
    { method: 'POST', path: '/plants', body: '{' },
    { method: 'POST', path: '/plants', body: '{}', headers: { 'content-type': 'text/plain' } },
    { method: 'POST', path: '/plants' },
    { method: 'GET', path: '/plants?limit=0' },
    { method: 'DELETE', path: '/plants/seven' },
  ];
  for (const { method, path, ...options } of faults) {
    t.equal((await call(method, path, { ...options, token: unknown })).status, 401, `${method} ${path}`);
  }
});

t.test('a 401 is sent without waiting for the body', async (t) => {
  const socket = connect(service.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(
    'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n',
  );
  const [answer] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])));
  t.match(String(answer), /^HTTP\/1\.1 401 /);
});

t.test('a token is accepted as soon as it is issued, and refused soon after its revocation', async (t) => {
  const token = await tokens.issue('owner');
  t.equal((await call('GET', '/plants', { token })).status, 200);
  const { id } = (await tokens.list()).at(-1) ?? { id: 0n };
  await tokens.revoke(id);
  await until('it is dead', async () => (await call('GET', '/plants', { token })).status === 401);
  t.equal((await call('GET', '/plants', { token })).status, 401);
});

t.test('a cached token is refused from the second in which it expires', async (t) => {
  let lifetime = 1_000;
  let token = await tokens.issue('owner', lifetime);
  // A busy machine may let the token expire before its first use: then try one that lives longer.
  while ((await call('GET', '/plants', { token })).status !== 200) {
    lifetime *= 2;
    token = await tokens.issue('owner', lifetime);
  }
  await until('it is dead', async () => (await call('GET', '/plants', { token })).status === 401);
  t.equal((await call('GET', '/plants', { token })).status, 401);
});

t.test('a 401 has the challenge of RFC 9110, section 11.6.1, also on a raw connection', async (t) => {
  const socket = connect(service.port, '127.0.0.1');
  socket.end('GET /plants HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const answer = await text(socket);
  t.match(answer, /^HTTP\/1\.1 401 Unauthorized\r\n/);
  t.equal(answer.match(/^www-authenticate:/gim)?.length, 1);
});

t.test('the log of accepted and refused requests contains no token', async (t) => {
  t.ok(log().includes('"route":"/plants"'));
  t.notOk(log().includes(service.token.slice(6)));
  t.notOk(log().includes(unknown.slice(6)));
});

t.test(
  'more tokens at once than the cache holds are all looked up, and an unknown one is refused',
  async (t) => {
    const tokens = Array.from({ length: 10_001 }, () => makeToken());
    const [unknown, ...known] = tokens.map(hashToken);
    let waiting = 0;
    let answer = () => {};
    const allAsked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    // A stand-in for the table: it answers no look-up before all of them have arrived.
    const find = async (hash: string) => {
      if (++waiting === tokens.length) answer();
      await allAsked;
      return hash === unknown ? undefined : { owner: hash, remainingMs: null };
    };
    const app = fastify();
    app.decorateRequest('caller', null);
    const check = await bearerCheck(app, { find });
    app.get('/', { onRequest: check }, async ({ caller }) => String(caller));
    app.setErrorHandler((error, _request, reply) => reply.send(error instanceof Error ? error.name : ''));
    const answers = tokens.map((token) =>
      app.inject({ path: '/', headers: { authorization: `Bearer ${token}` } }),
    );
    const owners = (await Promise.all(answers)).map(({ body }) => body);
    t.strictSame(owners, ['InvalidTokenError', ...known]);
  },
);
