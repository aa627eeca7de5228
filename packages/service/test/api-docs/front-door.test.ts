import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { BlockList } from 'node:net';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { parse } from 'yaml';
import { contractFile } from '../../../kit/index.js';
import { readContract, readContractText } from '../../../service-tools/index.js';
import { jsonDocument } from '../../src/api-docs/json-document.js';
import { pageDocument } from '../../src/api-docs/page-document.js';
import { apiDocs } from '../../src/api-docs/routes.js';
import type { AnyHandler } from '../../src/contract/handlers.js';
import { contractRoutes } from '../../src/contract/routes.js';
import { trustIn } from '../../src/http/address.js';
import { makeServer } from '../../src/http/server.js';
import { makeLog } from '../../src/log/log.js';
import { readSettings } from '../../src/settings.js';
import { contractOf, documentOf } from '../support/contract/contract.js';
import { startService } from '../support/service.js';

const service = await startService(t);
const documents = ['/openapi.yaml', '/openapi.json'];

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Uses node:http, which adds no Accept-Encoding and decodes nothing. */
function get(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', port = service.port } = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      buffer(response).then((body) => {
        const texts = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(texts), body });
      }, reject);
    })
      .on('error', reject)
      .end();
  });
}

t.test('/openapi.yaml is the YAML file, byte for byte, with the media type of RFC 9512', async (t) => {
  const { status, headers, body } = await get('/openapi.yaml');
  t.equal(status, 200);
  t.equal(headers['content-type'], 'application/yaml');
  t.ok(body.equals(await readFile(contractFile)));
});

t.test('/openapi.json equals the YAML, each integer to the last digit', async (t) => {
  const { status, headers, body } = await get('/openapi.json');
  t.equal(status, 200);
  t.match(headers['content-type'], /^application\/json\b/);
  const text = body.toString();
  t.match(text, '"minimum": -9223372036854775808,');
  t.match(text, '"maximum": 9223372036854775807,');
  t.notMatch(text, 'x-exact-');
  const document: { info: { version: string }; paths: object } = JSON.parse(text);
  t.strictSame(Object.keys(document.paths), Object.keys(parse(await readFile(contractFile, 'utf8')).paths));
});

t.test('the docs page fills in parameter defaults to the last digit', async (t) => {
  const list = '{ type: array, items: { type: integer, format: int64 }, default: [1, 9007199254740993] }';
  const text = (await readFile(contractFile, 'utf8'))
    .replace(
      '            format: int32\n            minimum: 1\n            maximum: 2147483647\n',
      '            format: int64\n            default: 9223372036854775807\n',
    )
    .replace(
      '        - name: limit\n',
      `        - { name: ids, in: query, schema: ${list} }\n        - name: limit\n`,
    );
  const document: { paths: Record<string, { get: { parameters: { schema: { default: unknown } }[] } }> } =
    JSON.parse(pageDocument(await readContractText(text, contractFile)));
  const defaults = document.paths['/plants']?.get.parameters.map(({ schema }) => schema.default);
  t.strictSame(defaults, [['1', '9007199254740993'], '9223372036854775807']);
});

t.test('the docs page shows a document with extensions beside its paths and responses', async (t) => {
  const response =
    '{ description: Done., headers: { X-Same: { description: The same., schema: { type: string } } } }';
  const contract = await contractOf(
    t,
    documentOf(`
  x-note: hello
  /a:
    get:
      operationId: a
      responses: { x-note: hello, x-list: [1], x-none: null, 204: ${response}, 205: ${response} }`),
  );
  const { info, paths } = JSON.parse(pageDocument(contract));
  t.match(info.description, 'Every answer has the header `X-Same`. The same.');
  t.match(paths['/a'].get.responses, { 'x-note': 'hello', 204: { headers: {} } });
});

t.test('`servers` in /openapi.json is the address that the consumer used', async (t) => {
  const serverAt = async (headers: Record<string, string> = {}, port = service.port) => {
    const document: { servers: { url: string }[] } = JSON.parse(
      (await get('/openapi.json', headers, { port })).body.toString(),
    );
    return document.servers[0]?.url;
  };
  t.equal(await serverAt(), service.address);
  t.equal(await serverAt({ host: `localhost:${service.port}` }), `http://localhost:${service.port}`);
  t.equal(await serverAt({ host: 'a,b' }), '/', 'what is no usual host is not repeated');

  const forwarded = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'plants.example',
    'x-forwarded-prefix': '/garden/',
    'x-forwarded-for': 'unknown',
  };
  t.test('X-Forwarded headers are ignored unless TRUST_PROXY names the sender', async (t) => {
    t.equal(await serverAt(forwarded), service.address);
    const others = await startService(t, { proxies: proxies('192.0.2.1, 2001:db8::/32') });
    t.equal(await serverAt(forwarded, others.port), others.address);
    t.equal((await get('/', forwarded, { port: others.port })).headers['location'], './docs');
  });
  t.test('X-Forwarded headers of a trusted proxy are believed', async (t) => {
    const { port } = await startService(t, { proxies: proxies('127.0.0.0/8') });
    t.equal(await serverAt(forwarded, port), 'https://plants.example/garden');
    t.equal((await get('/', forwarded, { port })).headers['location'], '/garden/docs');
    const strange = { ...forwarded, 'x-forwarded-prefix': '/a>; rel="x"', 'x-forwarded-host': 'a b' };
    t.equal(await serverAt(strange, port), '/');
    const { 'x-forwarded-prefix': _, ...withoutPrefix } = forwarded;
    t.equal(await serverAt(withoutPrefix, port), 'https://plants.example');
  });
});

t.test('/openapi.json keeps absolute server URLs, and a document without servers', async (t) => {
  const said = async (servers: string) => {
    const text = (await readFile(contractFile, 'utf8')).replace(/^servers:\n(?: .*\n)+/m, servers);
    const contract = await readContractText(text, contractFile);
    const document: { servers?: { url: string }[] } = JSON.parse(
      jsonDocument(contract)('https://here.example/a'),
    );
    return document.servers?.map(({ url }) => url);
  };
  t.strictSame(await said('servers: [{ url: /v1 }, { url: https://else.example/v1 }, { url: v2 }]\n'), [
    'https://here.example/a/v1',
    'https://else.example/v1',
    'v2',
  ]);
  t.equal(await said(''), undefined);
});

t.test('TRUST_PROXY matches IPv4 and IPv6 forms of an address', async (t) => {
  const trusted = trustIn(proxies('10.0.0.0/8, 2001:db8::/32'));
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::7']) t.ok(trusted(address), address);
  for (const address of ['11.1.2.3', '::ffff:11.1.2.3', '2001:db9::7', 'unknown', ''])
    t.notOk(trusted(address), address);
});

function proxies(text: string): BlockList {
  return readSettings({ TRUST_PROXY: text }).proxies;
}

t.test('TRUST_PROXY accepts addresses and subnets, and nothing else', async (t) => {
  t.strictSame(readSettings({}).proxies, new BlockList());
  t.ok(proxies('10.0.0.0/8').check('10.1.2.3'));
  t.ok(proxies('10.0.0.0/8').check('::ffff:10.1.2.3', 'ipv6'), 'as a socket for both versions names it');
  t.ok(proxies('::1').check('::1', 'ipv6'));
  for (const text of ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '::1/129', '10.0.0', 'true'])
    t.throws(() => proxies(text), { name: 'SettingsError', message: /^TRUST_PROXY has "/ }, text);
});

t.test('HEAD on the document and docs pages is GET without the body', async (t) => {
  for (const path of [...documents, '/docs', '/live', '/ready']) {
    const got = await get(path);
    const head = await get(path, {}, { method: 'HEAD' });
    t.strictSame([head.status, head.body.length], [200, 0], path);
    for (const name of ['content-length', 'content-type', 'link'])
      t.equal(head.headers[name], got.headers[name], `${path} ${name}`);
  }
});

t.test('pages of other origins may read the document, and nothing else', async (t) => {
  for (const path of documents) {
    const { headers } = await get(path, { origin: 'https://other.example' });
    t.equal(headers['access-control-allow-origin'], '*');
    t.equal(headers['access-control-allow-credentials'], undefined);
  }
  for (const path of ['/plants', '/docs'])
    t.equal((await get(path)).headers['access-control-allow-origin'], undefined, path);
});

t.test('other methods on the document and docs pages are a 405 with Allow', async (t) => {
  for (const path of ['/', ...documents, '/docs', '/docs/', '/live', '/ready']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const { status, headers, body } = await get(path, {}, { method });
      t.strictSame([status, headers['allow']], [405, 'GET, HEAD'], `${method} ${path}`);
      t.match(JSON.parse(body.toString()), { error: 405, message: String });
    }
  }
});

t.test('RFC 8631: the start page, the docs page and the document link to each other', async (t) => {
  for (const path of ['/', '/docs', ...documents]) {
    const link = (await get(path)).headers['link'];
    t.match(link, '<openapi.json>; rel="service-desc"; type="application/json"', path);
    t.match(link, '<openapi.yaml>; rel="service-desc"; type="application/yaml"', path);
    t.match(link, '<docs>; rel="service-doc"; type="text/html"', path);
  }
});

t.test('/ and /docs/ redirect to /docs, also below a prefix that the service does not know', async (t) => {
  for (const [path, redirected] of [
    ['/', 303],
    ['/docs/', 308],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await get(path, {}, { method });
      t.strictSame([status, body.length], [redirected, 0], `${method} ${path}`);
      const location = String(headers['location']);
      for (const prefix of ['', '/garden'])
        t.equal(new URL(location, `https://plants.example${prefix}${path}`).pathname, `${prefix}/docs`);
    }
  }
});

t.test('the docs page loads nothing from other hosts, and forbids inline code and eval', async (t) => {
  const { headers, body } = await get('/docs');
  const policy = String(headers['content-security-policy']);
  t.match(policy, "default-src 'none'");
  t.notMatch(policy, /unsafe|https?:|\*/);
  const html = body.toString();
  t.notMatch(html, /<script>|<style|\son\w+=|style=/);
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  for (const address of addresses.filter((one) => !one.startsWith('data:'))) {
    t.notMatch(address, /^[a-z]+:|^\//, 'relative, so that it holds behind a proxy, too');
    const { status, headers } = await get(`/${address}`);
    t.equal(status, 200, address);
    if (address.startsWith('docs/')) t.match(headers['cache-control'], 'immutable');
  }
});

t.test('the files of the docs page have a digest of their content in their paths', async (t) => {
  const html = (await get('/docs')).body.toString();
  const [, digest = '', name = ''] = /"docs\/([0-9a-f]{12})\/(docs\.js)"/.exec(html) ?? [];
  const { status, headers, body } = await get(`/docs/${digest}/${name}`);
  t.equal(status, 200);
  t.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
  t.equal(createHash('sha256').update(body).digest('hex').slice(0, 12), digest);
  const other = digest.replace(/^./, (first) => (first === '0' ? '1' : '0'));
  for (const path of [`/docs/${other}/${name}`, `/docs/${digest}/accessible.js`, `/docs/${name}`])
    t.equal((await get(path)).status, 404, `${path}: never the file of another version`);
});

t.test('the docs page works beside an operation of the contract at /docs/{id}', async (t) => {
  const log = makeLog('silent');
  const contract = await contractOf(
    t,
    documentOf(`
  /docs/{id}:
    get:
      operationId: readDoc
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { 204: { description: Read. } }`),
  );
  const app = await makeServer({ contract, log });
  t.teardown(() => app.close());
  const handlers: Record<string, AnyHandler> = { readDoc: async () => ({ status: 204 }) };
  await app.register(contractRoutes, { contract, handlers, security: {} });
  await app.register(apiDocs, { contract });
  t.equal((await app.inject('/docs/7')).statusCode, 204);
  const { body: html } = await app.inject('/docs');
  const addresses = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, address]) => `/${address}`);
  t.equal(addresses.length, 5);
  for (const address of [...addresses, '/docs/document.json'])
    t.equal((await app.inject(address)).statusCode, 200, address);
});

t.test('what could not be made for one request is made for the next one', async (t) => {
  const contract = await readContract(contractFile);
  let failures = 0;
  const failing = {
    ...contract,
    get text() {
      if (failures-- > 0) throw new Error('Too many open files.');
      return contract.text;
    },
  };
  const app = await makeServer({ contract, log: makeLog('silent') });
  t.teardown(() => app.close());
  await app.register(apiDocs, { contract: failing });
  for (const path of documents) {
    failures = 1;
    t.equal((await app.inject(path)).statusCode, 500, path);
    t.equal((await app.inject(path)).statusCode, 200, path);
  }
});
