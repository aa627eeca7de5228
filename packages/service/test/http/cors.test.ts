import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { contractFile } from '../../../kit/index.js';
import { readContract } from '../../../service-tools/index.js';
import { startService } from '../support/service.js';

/** Pages on other origins: the setting CORS_ORIGINS. */

t.setTimeout(120_000);
const { operations } = await readContract(contractFile);
const page = 'https://shop.example';
const corsOrigins = new Set([page]);
const service = await startService(t, { corsOrigins });
const stranger = 'https://stranger.example';

/** fetch cannot send the headers that are reserved for browsers, nor an invalid URL. */
async function send(head: string, headers: Record<string, string> = {}, port = service.port) {
  const lines = Object.entries({ Host: 'plants', Connection: 'close', ...headers }).map((line) =>
    line.join(': '),
  );
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(`${[`${head} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
  const [answerHead = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = answerHead.split('\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(
      headerLines.map((line) => {
        const [name = '', ...value] = line.split(': ');
        return [name.toLowerCase(), value.join(': ')];
      }),
    ),
    body,
  };
}

const preflight = (path: string, method: string, { origin = page, port = service.port } = {}) =>
  send(
    `OPTIONS ${path}`,
    {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
    port,
  );

t.test('a CORS preflight needs no token, and names the methods of its path', async (t) => {
  for (const [path, documented] of [
    ['/plants', '/plants'],
    ['/plants?limit=1', '/plants'],
    ['/plants/7', '/plants/{id}'],
  ] as const) {
    const methods = operations
      .flatMap(({ path, method }) => (path === documented ? [method] : []))
      .join(', ');
    const { status, headers, body } = await preflight(path, 'GET');
    t.strictSame([status, body], [204, ''], path);
    t.equal(headers.get('access-control-allow-origin'), page);
    t.equal(headers.get('access-control-allow-methods'), methods);
    t.equal(headers.get('access-control-allow-headers'), 'authorization,content-type');
    t.match(headers.get('access-control-max-age'), /^[0-9]+$/);
    t.equal(headers.get('vary'), 'Origin, Access-Control-Request-Headers');
    t.notOk(headers.has('access-control-allow-credentials'), 'no cookies');
  }
});

t.test('OPTIONS that is not a CORS preflight is answered as without CORS_ORIGINS', async (t) => {
  const without = await startService(t);
  for (const [path, request] of [
    ['/plants', {}],
    ['/plants/7', {}],
    ['/nothing', {}],
    ['/plants/', {}],
    ['*', {}],
    ['/docs', {}],
    ['/openapi.json', {}],
    ['/plants', { Origin: page }],
    ['/plants', { 'Access-Control-Request-Method': 'GET' }],
    ['/plants', { Origin: stranger, 'Access-Control-Request-Method': 'GET' }],
    ['/plants', { Origin: 'null', 'Access-Control-Request-Method': 'GET' }],
    ['/nothing', { Origin: page, 'Access-Control-Request-Method': 'GET' }],
    ['/docs', { Origin: page, 'Access-Control-Request-Method': 'GET' }],
    ['/openapi.json', { Origin: page, 'Access-Control-Request-Method': 'GET' }],
    ['/plants/%ZZ', { Origin: stranger, 'Access-Control-Request-Method': 'GET' }],
  ] as const) {
    const [now, before] = await Promise.all(
      [service, without].map(({ port }) => send(`OPTIONS ${path}`, request, port)),
    );
    const said = `OPTIONS ${path} ${JSON.stringify(request)}`;
    t.strictSame([now?.status, now?.body], [before?.status, before?.body], said);
    for (const name of ['allow', 'content-type', 'access-control-allow-methods'])
      t.equal(now?.headers.get(name), before?.headers.get(name), `${said} ${name}`);
  }
});

t.test('a page of an allowed origin may read each answer and the headers that the YAML names', async (t) => {
  const authorization = `Bearer ${service.token}`;
  for (const [status, head, headers] of [
    [200, 'GET /plants', { Authorization: authorization }],
    [400, 'GET /plants?limit=0', { Authorization: authorization }],
    [400, 'GET /plants/%ZZ', {}],
    [401, 'GET /plants', {}],
    [404, 'GET /nothing', {}],
    [404, 'DELETE /plants/7', { Authorization: authorization }],
    [405, 'PUT /plants', {}],
    [400, 'POST /plants', { Authorization: authorization, 'Content-Length': '0' }],
  ] as const) {
    const answer = await send(head, { ...headers, Origin: page });
    t.equal(answer.status, status, head);
    t.equal(answer.headers.get('access-control-allow-origin'), page, `${status} ${head}`);
    const exposed = answer.headers.get('access-control-expose-headers');
    t.equal(exposed, 'X-Request-Id, WWW-Authenticate, Retry-After, RateLimit-Policy, RateLimit');
    t.equal(answer.headers.get('vary'), 'Origin');

    for (const others of [{ Origin: stranger }, {}]) {
      const refused = await send(head, { ...headers, ...others });
      t.equal(refused.status, status);
      t.notOk(refused.headers.has('access-control-allow-origin'), `${status} ${head} of somebody else`);
      t.equal(refused.headers.get('vary'), 'Origin', 'caches know that it would be another');
    }
  }
});

t.test('without CORS_ORIGINS, no answer has CORS headers', async (t) => {
  const { port } = await startService(t);
  t.equal((await preflight('/plants', 'GET', { port })).status, 405);
  for (const head of ['GET /plants', 'GET /plants/%ZZ', 'GET /nothing']) {
    const { headers } = await send(head, { Origin: page }, port);
    t.notOk(headers.has('access-control-allow-origin'), head);
    t.notOk(headers.has('vary'), head);
  }
});
