import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeLog } from '../../service/layer.js';
import { readMockable } from '../src/any-contract.js';
import { buildMock } from '../src/app.js';
import { type Requirements, unfitCredentials } from '../src/credentials.js';

t.setTimeout(600_000);

const problem = `content: { application/problem+json: { schema: { type: object, required: [title, status],
  properties: { type: { type: string, format: uri-reference }, title: { type: string }, status: { type: integer }, detail: { type: string } } } } }`;
const paths = ([name, security]: readonly [string, string]) => `/${name}: { get: { operationId: ${name},
  security: ${security}, responses: { '204': { description: Done. }, '401': { description: No., ${problem} } } } }`;
const yaml = `{ openapi: 3.0.3, info: { title: 'Doors, "all"', version: '1' }, paths: { ${[
  ['key', '[{ key: [] }]'],
  ['query', '[{ query: [] }]'],
  ['cookie', '[{ cookie: [] }]'],
  ['basic', '[{ basic: [] }]'],
  ['both', '[{ basic: [], key: [] }]'],
  ['either', '[{ bearer: [] }, { basic: [] }]'],
  ['public', '[{ key: [] }, {}]'],
]
  .map(([name = '', security = '']) => paths([name, security]))
  .join(', ')} },
  components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key }, query: { type: apiKey, in: query, name: key },
    cookie: { type: apiKey, in: cookie, name: door }, basic: { type: http, scheme: Basic }, bearer: { type: http, scheme: bearer } } } }`;

async function doors(t: Test, credentials?: readonly string[]) {
  const file = join(t.testdir({ 'doors.yaml': yaml }), 'doors.yaml');
  const { contract, isOwn } = await readMockable(file);
  const app = await buildMock({
    ...{ contract, log: makeLog('silent'), credentials, documentedFailures: !isOwn },
  });
  t.teardown(() => app.close());
  return async (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const shown: readonly (readonly [string, Record<string, string>, string])[] = [
  ['/key', { 'x-key': 'good' }, 'key'],
  ['/query?key=good', {}, 'query'],
  ['/cookie', { cookie: 'a=b; door=good' }, 'cookie'],
  ['/basic', { authorization: basic('ann:good') }, 'basic'],
  ['/both', { authorization: basic('ann:good'), 'x-key': 'good' }, 'both'],
  ['/either', { authorization: 'bearer good' }, 'bearer'],
  ['/either', { authorization: basic('ann:good') }, 'basic'],
];

t.test('the mock takes any credential in the place that the document names', async (t) => {
  const get = await doors(t);
  for (const [url, headers, what] of shown) t.equal((await get(url, headers)).statusCode, 204, what);
  for (const [url, headers] of [
    ['/key', {}],
    ['/key', { authorization: 'Bearer good' }],
    ['/key?X-Key=good', {}],
    ['/query', { key: 'good' }],
    ['/cookie', { cookie: 'doors=good' }],
    ['/basic', { authorization: 'Bearer good' }],
    ['/basic', { authorization: basic('no colon') }],
    ['/basic', { authorization: 'Basic <>' }],
    ['/both', { authorization: basic('ann:good') }],
    ['/both', { 'x-key': 'good' }],
    ['/either', { 'x-key': 'good' }],
  ] as const)
    t.equal((await get(url, { ...headers })).statusCode, 401, `${url} ${JSON.stringify(headers)}`);
});

t.test('with a list of credentials, the mock takes no other', async (t) => {
  const get = await doors(t, ['good', 'ann:good']);
  for (const [url, headers, what] of shown) {
    t.equal((await get(url, headers)).statusCode, 204, what);
    const wrong = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace('good', 'gold').replace(basic('ann:good'), basic('ann:gold')),
    ]);
    const other = await get(url.replace('good', 'gold'), Object.fromEntries(wrong));
    t.equal(other.statusCode, 401, `another ${what}`);
  }
});

t.test('an operation that needs no credentials refuses wrong ones (RFC 6750, section 3.1)', async (t) => {
  const get = await doors(t, ['good']);
  t.equal((await get('/public')).statusCode, 204);
  t.equal((await get('/public', { 'x-key': 'good' })).statusCode, 204);
  t.equal((await get('/public', { 'x-key': 'gold' })).statusCode, 401);
});

t.test('the 401 of the mock has a challenge for each scheme, and says what to send', async (t) => {
  const get = await doors(t, ['good']);
  const none = await get('/either');
  t.equal(none.headers['www-authenticate'], 'Bearer realm="Doors, all", Basic realm="Doors, all"');
  t.match(none.headers['content-type'], /^application\/problem\+json/);
  t.strictSame(none.json(), {
    title: 'Unauthorized',
    status: 401,
    detail: 'There are no credentials: send a bearer token, or HTTP Basic.',
  });
  const wrong = await get('/either', { authorization: 'Bearer gold' });
  t.match(wrong.headers['www-authenticate'], /^Bearer realm="Doors, all", error="invalid_token"/);
  t.match(wrong.json(), { detail: /^Nobody has these credentials: / });
  t.match((await get('/both')).json(), { detail: /send HTTP Basic and an API key in the header X-Key\./ });
});

t.test('a credential that no scheme of the document can carry is found', (t) => {
  const requirements: Requirements = new Map([['GET /basic', [[{ kind: 'basic' }]]]]);
  t.strictSame(unfitCredentials(requirements, ['ann:good', 'first']), [2]);
  t.strictSame(unfitCredentials(new Map(), ['first']), [], 'a document without security asks for none');
  t.end();
});
