import { METHODS } from 'node:http';
import { createConnection } from 'node:net';
import { fastify } from 'fastify';
import t, { type Test } from 'tap';
import type { AnyHandler } from '../../src/contract/handlers.js';
import { InvalidRequestError } from '../../src/contract/request/request-errors.js';
import { contractRoutes } from '../../src/contract/routes.js';
import {
  contractOf,
  documentOf,
  documentOfBody,
  documentOfParameters,
  faultOf,
  routed,
  serve,
} from '../support/contract/contract.js';
import { refusesDocuments, starting } from '../support/contract/documents.js';

const done = 'responses: { 204: { description: Done. } }';
const operation = (id: string, rest = '') => `{ operationId: ${id}, ${rest}${done} }`;
const inPath = (...names: string[]) =>
  `parameters: [${names.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`).join()}], `;

t.test('a start with missing or extra handlers or checks fails, and lists all of them', async (t) => {
  const contract = await contractOf(
    t,
    documentOf(
      `
  /a:
    get: ${operation('toString')}
    put: ${operation('putA', 'security: [{ badge: [], key: [] }], ')}`,
      'components: { securitySchemes: { badge: { type: http, scheme: bearer }, key: { type: http, scheme: basic } } }',
    ),
  );
  const start = fastify().register(contractRoutes, {
    contract,
    handlers: { postA: async () => ({ status: 204 }), deleteA: async () => ({ status: 204 }) },
    security: { key: async () => {} },
  });
  t.equal(
    await faultOf(t, start),
    [
      'contract.yaml:5:10: toString has no handler: write one.',
      'contract.yaml:6:10: putA has no handler: write one.',
      'The handler postA has no operation in the contract: describe it there, or take the handler away.',
      'The handler deleteA has no operation in the contract: describe it there, or take the handler away.',
      'contract.yaml:7:41: badge has no check: write one, or ask for another scheme.',
    ].join('\n'),
  );
});

t.test('a missing check that two operations need is reported once', async (t) => {
  const secured = (id: string) => operation(id, 'security: [{ badge: [] }], ');
  await refusesDocuments(t, starting, documentOf, {
    [`  /a: { get: ${secured('a')}, put: ${secured('b')} }`]:
      'contract.yaml:1:1: badge has no check: write one, or ask for another scheme.',
  });
});

t.test('an operation that the router does not support stops the start', async (t) => {
  await refusesDocuments(t, starting, documentOf, {
    [`  /a: { trace: §${operation('traceA')} }`]: 'traceA gets no route for TRACE: give it another method.',
  });
  const withPath = (path: string) => {
    const names = Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name = '']) => name);
    return documentOf(`  ${path}: { get: ${operation('a', names.length > 0 ? inPath(...names) : '')} }`);
  };
  await refusesDocuments(t, starting, withPath, {
    '/a*': /: a: the router does not do \//,
    '/a/(b)': /: a: the router does not do \//,
    '/a%20b': /: a: the router does not do \//,
    '/ä': /: a: the router does not do \//,
    '/a?b': /: a: the router does not do \//,
    '/a b': /: a: the router does not do \//,
    '/{b-c}': /the name of the parameter \{b-c\} of its path is not of letters, digits and "_" only/,
    '/{b}:c': /the router does not do \/\{b\}:c\./,
    '/{b}c': /the router does not do \/\{b\}c\./,
    '/{b}{c}': /the router does not do \/\{b\}\{c\}\./,
    '/x{b}_': /the router does not do \/x\{b\}_\./,
  });
});

t.test(
  'a route that the contract does not have stops the start, unless it is marked "besideContract"',
  async (t) => {
    const app = await routed(await contractOf(t, documentOf(`  /a: { get: ${operation('readA')} }`)), {});
    t.teardown(() => app.close());
    t.throws(() => app.get('/b', async () => ''), {
      name: 'ContractError',
      message:
        'The route GET /b is not in the contract: describe it there, or mark it with "besideContract".',
    });
    app.get('/c', { config: { besideContract: true } }, async () => 'c');
    t.equal((await app.inject('/c')).body, 'c');
  },
);

t.test('a schema that would go unchecked stops the start, with operation, part and place', async (t) => {
  const inQuery = (schema: string) => documentOfParameters(`§{ name: value, in: query, schema: ${schema} }`);
  const ofQuery = 'look, query/value:';
  await refusesDocuments(t, starting, inQuery, {
    '{ type: string, format: unheard }': /^look, query\/value: unknown format "unheard"/,
    '{ type: integer }': `${ofQuery} an integer needs the format int32 or int64.`,
    '{ type: integer, format: int16 }': `${ofQuery} an integer needs the format int32 or int64.`,
    '{ type: integer, format: int64, multipleOf: 0.5 }': `${ofQuery} the "multipleOf" of an integer must be an integer, not 0.5.`,
    '{ type: integer, format: int64, enum: [1.5] }': `${ofQuery} the "enum" of an integer must list integers.`,
    '{ type: integer, format: int64, enum: ["1"] }': `${ofQuery} the "enum" of an integer must list integers.`,
    '{ type: integer, format: int64, minLength: 1 }': /^look, query\/value: .*minLength/,
    '{ allOf: [{ type: string, default: a }], type: string }': `${ofQuery} "default" is not supported here: nothing takes the place of what is absent.`,
    '{ type: number, format: money }': `${ofQuery} a number has no format "money".`,
    '{ type: number, enum: [1] }':
      /^look, query\/value: "multipleOf" and "enum" are not checked on "type: number"/,
    '{ type: number, multipleOf: 0.1 }':
      /^look, query\/value: "multipleOf" and "enum" are not checked on "type: number"/,
    '{ type: string, enum: [1] }': /^look, query\/value: an "enum" may list numbers only/,
    '{ type: string, minimum: 1 }': /^look, query\/value: .*minimum/,
    '{ type: string, pattern: "(" }': /^look, query\/value: .*regular expression/,
    '{ type: object }': /^look, query\/value: a parameter of type "object" is not supported/,
  });
  await refusesDocuments(t, starting, documentOfBody, {
    '{ type: object, properties: { a: { type: string, default: b } } }':
      /^contract\.yaml:10:\d+: echo, body: "default" is not supported here: nothing takes the place of what is absent\.$/,
    '{ enum: [1, 2] }': /^contract\.yaml:10:\d+: echo, body: an "enum" may list numbers only/,
    '{ enum: [[a]] }': /^contract\.yaml:10:\d+: echo, body: an "enum" may list numbers only/,
    '{ type: object, properties: { a: { type: string, readOnly: true } } }':
      /^contract\.yaml:10:\d+: echo, body: "readOnly" is not supported/,
    '{ type: array, items: { type: array, items: { type: integer } } }':
      /^contract\.yaml:10:\d+: echo, body: an integer needs the format/,
    '{ type: object, additionalProperties: { not: { type: integer } } }':
      /^contract\.yaml:10:\d+: echo, body: an integer needs the format/,
    '{ properties: { a: {} } }':
      /^contract\.yaml:10:\d+: echo, body: "properties" needs "type: object" beside it\.$/,
  });
});

t.test('a schema that contains itself is checked and answered at every depth', async (t) => {
  const tree = "{ $ref: '#/components/schemas/Tree' }";
  const yaml = `${documentOfBody(tree).replace('204: { description: Taken. }', `200: { description: Same., content: { application/json: { schema: ${tree} } } }`)}
components: { schemas: { Tree: { type: object, properties: { age: { type: integer, format: int64 }, branches: { type: array, items: ${tree} } } } } }`;
  const handlers: Record<string, AnyHandler> = { echo: async ({ body }) => ({ status: 200, body }) };
  const { call } = await serve(t, yaml, { handlers });
  const body = '{"age":9007199254740993,"branches":[{"branches":[{"age":9007199254740995}]}]}';
  t.match(await call('POST', '/echo', { body }), { status: 200, text: body });
  t.match(await call('POST', '/echo', { body: '{"branches":[{"branches":[5]}]}' }), {
    status: 400,
    text: 'body/branches/0/branches/0 must be object.',
  });
});

t.test('every spelling of a path reaches its operation', async (t) => {
  const forms: readonly (readonly [
    path: string,
    names: string[],
    target: string,
    values: Record<string, string>,
  ])[] = [
    ['/', [], '/', {}],
    ['/shelf', [], '/shelf', {}],
    ['/Shelf', [], '/Shelf', {}],
    ['/shelf/', [], '/shelf/', {}],
    ['/a.b-c_d~e', [], '/a.b-c_d~e', {}],
    ['/jars:fill', [], '/jars:fill', {}],
    ["/a!$&'+,;=@", [], "/a!$&'+,;=@", {}],
    ['/jar/{jar}', ['jar'], '/jar/1', { jar: '1' }],
    ['/jar/mine', [], '/jar/mine', {}],
    ['/jar/{jar}/lid', ['jar'], '/jar/1/lid', { jar: '1' }],
    ['/box/{box_1}/{Item}', ['box_1', 'Item'], '/box/a/b', { box_1: 'a', Item: 'b' }],
    ['/file/{name}.{type}', ['name', 'type'], '/file/a.txt', { name: 'a', type: 'txt' }],
    ['/span/{from}-{to}', ['from', 'to'], '/span/1-2', { from: '1', to: '2' }],
    ['/v{version}', ['version'], '/v2', { version: '2' }],
    ['/x:{name}', ['name'], '/x:y', { name: 'y' }],
  ];
  const { call, seen } = await serve(
    t,
    documentOf(
      forms
        .map(
          ([path, names], index) =>
            `  "${path}": { get: ${operation(`form${index}`, names.length > 0 ? inPath(...names) : '')} }`,
        )
        .join('\n'),
    ),
  );
  for (const [path, , target, values] of forms) {
    t.equal((await call('GET', target)).status, 204, path);
    t.strictSame({ ...Object(seen.at(-1)?.path) }, values, path);
    t.equal((await call('PUT', target)).headers.get('allow'), 'GET', path);
  }
  for (const target of [
    '/SHELF',
    '/shelf//',
    '//shelf',
    '/jarsXfill',
    '/jars',
    '/axb-c_d~e',
    '/v',
    '/x:',
    '/file/.txt',
  ]) {
    t.equal((await call('GET', target)).status, 404, target);
  }
});

const shop = documentOf(`
  /things:
    get: ${operation('listThings')}
    post: ${operation('makeThing')}
  /things/{thing}:
    get: ${operation('seeThing', inPath('thing'))}
    delete: ${operation('dropThing', inPath('thing'))}
  /things/newest:
    get: ${operation('newestThing')}
  /things/{thing}/parts/{part}:
    patch: ${operation('changePart', inPath('thing', 'part'))}
  /hidden:
    head: ${operation('peek')}
    options: ${operation('choose')}`);
const { call, exchange, port } = await serve(t, shop);

/** Only methods that this Node.js parses: 20.19 does not know QUERY. */
const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'PROPFIND',
  'QUERY',
  'LOCK',
].filter((method) => METHODS.includes(method));

t.test('a path that the contract does not have is a 404 for every method', async (t) => {
  for (const method of methods) {
    for (const path of [
      '/',
      '/thing',
      '/things/',
      '/things/1/',
      '/things/1/parts',
      '/things/1/parts/',
      '/things//parts/1',
      '/Things',
      '/things%2F1',
      '/a?/things',
    ]) {
      const { status, headers, text } = await call(method, path);
      t.equal(status, 404, `${method} ${path}`);
      t.equal(headers.get('allow'), null);
      if (method !== 'HEAD') t.equal(text, 'There is nothing at this path.');
    }
  }
});

t.test('a method that a path does not have is a 405 with Allow', async (t) => {
  for (const [path, allowed] of [
    ['/things', ['GET', 'POST']],
    ['/things?a=/b', ['GET', 'POST']],
    ['/t%68ings', ['GET', 'POST']],
    ['/things/1', ['GET', 'DELETE']],
    ['/things/a%2Fb', ['GET', 'DELETE']],
    ['/things/%F0%9F%98%80', ['GET', 'DELETE']],
    ['/things/a%25b', ['GET', 'DELETE']],
    ['/things/a%0Ab', ['GET', 'DELETE']],
    // The concrete path wins, for every method (OpenAPI 3.0.3, "Path Templating Matching").
    ['/things/newest', ['GET']],
    ['/things/1/parts/2', ['PATCH']],
    ['/hidden', ['OPTIONS', 'HEAD']],
  ] as const) {
    for (const method of methods) {
      const { status, headers, text } = await call(method, path);
      const isAllowed = allowed.some((name) => name === method);
      t.equal(status, isAllowed ? 204 : 405, `${method} ${path}`);
      if (isAllowed) continue;
      t.equal(headers.get('allow'), allowed.join(', '), `${method} ${path}`);
      if (method !== 'HEAD') t.equal(text, `This path has the methods ${allowed.join(', ')}.`);
    }
    // fetch refuses to send this method.
    t.match(
      await exchange(`TRACE ${path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`),
      new RegExp(`^HTTP/1.1 405[^]+allow: ${allowed.join(', ')}\r\n`, 'i'),
    );
  }
});

t.test('a request target may be an absolute URL (RFC 9112, section 3.2.2)', async (t) => {
  const answerTo = (line: string) => exchange(`${line} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`);
  t.match(await answerTo('GET http://here/things'), /^HTTP\/1.1 204/);
  t.match(await answerTo('PUT http://here:80/things?a'), /^HTTP\/1.1 405/);
  t.match(await answerTo('PUT HTTPS://here/nothing'), /^HTTP\/1.1 404/);
  t.match(await answerTo('OPTIONS *'), /^HTTP\/1.1 404/);
});

t.test('an unknown path is refused before any of the body is read', async (t) => {
  for (const [head, status] of [
    ['POST /nothing', 404],
    ['PUT /things', 405],
  ] as const) {
    t.match(
      await firstLine(
        t,
        port,
        `${head} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n`,
      ),
      `HTTP/1.1 ${status}`,
    );
  }
  const body = 'x'.repeat(2 ** 21);
  for (const type of ['application/json', 'text/plain', 'nonsense']) {
    t.equal((await call('POST', '/nothing', { body, headers: { 'content-type': type } })).status, 404, type);
  }
});

/** Sends only `request`, keeps the connection open, and returns the first bytes that come back. */
async function firstLine(t: Test, port: number, request: string): Promise<string> {
  const socket = createConnection({ host: '127.0.0.1', port });
  t.teardown(() => socket.destroy());
  socket.write(request);
  for await (const chunk of socket) return String(chunk).split('\r\n')[0] ?? '';
  return 'nothing';
}

const secured = (security: string) =>
  `${documentOfBody('{ type: string }').replace('operationId: echo', `operationId: echo\n      security: ${security}`)}
components: { securitySchemes: { badge: { type: http, scheme: bearer }, key: { type: http, scheme: basic } } }`;

t.test('authentication comes before the body is read and before the request is validated', async (t) => {
  const { port, call, seen } = await serve(t, secured('[{ badge: [] }]'), {
    security: {
      badge: async ({ headers }) => {
        if (headers.authorization !== 'good') throw new InvalidRequestError('No badge.');
      },
    },
  });
  const head = 'POST /echo HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n';
  for (const length of ['Content-Length: 5', 'Content-Length: 99999999', 'Transfer-Encoding: chunked']) {
    t.match(await firstLine(t, port, `${head}${length}\r\n\r\n`), 'HTTP/1.1 400');
  }
  for (const headers of [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  ]) {
    t.equal((await call('POST', '/echo', { headers, body: '{' })).text, 'No badge.');
  }
  t.strictSame(seen, []);
});

t.test('if an operation needs two schemes, both are checked in order until one fails', async (t) => {
  for (const [order, expected] of [
    ['[{ key: [], badge: [] }]', ['key', 'badge']],
    ['[{ badge: [], key: [] }]', ['badge', 'key']],
  ] as const) {
    const checked: string[] = [];
    const { call, seen } = await serve(t, secured(order), {
      security: {
        badge: async (request) => {
          checked.push('badge');
          request.caller = 'badge';
        },
        // A hook with a callback instead of a promise.
        key: ({ headers }, _reply, next) => {
          checked.push('key');
          next(headers['x-key'] === undefined ? new InvalidRequestError('No key.') : undefined);
        },
      },
    });
    const headers = { 'content-type': 'application/json' };
    t.equal(
      (await call('POST', '/echo', { headers: { ...headers, 'x-key': '1' }, body: '"a"' })).status,
      204,
    );
    t.strictSame(checked, expected);
    t.equal(seen[0]?.caller, 'badge');
    t.equal((await call('POST', '/echo', { headers, body: '"a"' })).text, 'No key.');
    t.strictSame(checked.slice(2), order.startsWith('[{ key') ? ['key'] : ['badge', 'key']);
    t.equal(seen.length, 1);
  }
});

t.test('a public operation has no caller, and runs no check', async (t) => {
  const { call, seen } = await serve(
    t,
    `${documentOf(`  /open: { get: ${operation('open', 'security: [], ')} }\n  /closed: { get: ${operation('closed')} }`)}
security: [{ badge: [] }]
components: { securitySchemes: { badge: { type: http, scheme: bearer } } }`,
    {
      security: {
        badge: async () => {
          throw new InvalidRequestError('No badge.');
        },
      },
    },
  );
  t.equal((await call('GET', '/closed')).status, 400);
  t.equal((await call('GET', '/open?caller=me')).status, 204);
  t.match(seen, [{ path: {}, query: {}, body: undefined, caller: undefined }]);
  t.strictSame(seen[0]?.query, {});
});

/** An operation whose checks each accept the token of their own name; its handler notes the caller. */
async function serveAlternatives(t: Test, security: string) {
  const checked: string[] = [];
  const answerTo = (name: string, authorization: string | undefined): Error | undefined => {
    checked.push(name);
    if (authorization === name) return undefined;
    if (authorization === 'ask later') return new Error('Cannot ask.');
    return Object.assign(new InvalidRequestError(`Not of ${name}.`), { statusCode: 401 });
  };
  const { call, seen } = await serve(
    t,
    `${documentOf(`  /a: { get: ${operation('a', `security: ${security}, `)} }`)}
components:
  securitySchemes: { key: { type: http, scheme: bearer }, badge: { type: http, scheme: bearer } }`,
    {
      security: {
        key: async (request) => {
          const refusal = answerTo('key', request.headers.authorization);
          request.caller = 'key';
          if (refusal !== undefined) throw refusal;
        },
        // A hook with a callback instead of a promise.
        badge: (request, _reply, next) => {
          const refusal = answerTo('badge', request.headers.authorization);
          if (refusal === undefined) request.caller = 'badge';
          next(refusal);
        },
      },
    },
  );
  return async (authorization?: string) => {
    checked.length = 0;
    seen.length = 0;
    const { status, text } = await call('GET', '/a', authorization ? { headers: { authorization } } : {});
    return [status === 204 ? seen[0]?.caller : text, ...checked];
  };
}

t.test('if schemes are alternatives, the first one that accepts names the caller', async (t) => {
  const callOf = await serveAlternatives(t, '[{ key: [] }, { badge: [] }]');
  t.strictSame(await callOf('key'), ['key', 'key']);
  t.strictSame(await callOf('badge'), ['badge', 'key', 'badge']);
  t.strictSame(await callOf('other'), ['Not of key.', 'key', 'badge'], 'the first refusal is the answer');
  t.strictSame(await callOf(), ['Not of key.', 'key', 'badge']);
  t.strictSame(await callOf('ask later'), ['Cannot ask.', 'key'], 'what cannot be asked refuses nobody');
});

t.test('an alternative of several schemes needs all of them', async (t) => {
  const callOf = await serveAlternatives(t, '[{ key: [], badge: [] }, { badge: [] }]');
  t.strictSame(await callOf('key'), ['Not of badge.', 'key', 'badge', 'badge']);
  t.strictSame(await callOf('badge'), ['badge', 'key', 'badge']);
});

t.test(
  'if access without credentials is an alternative, no credentials are accepted and bad ones are refused',
  async (t) => {
    for (const security of ['[{ key: [] }, {}]', '[{}, { key: [] }]', '[{ key: [] }, {}, {}]']) {
      const callOf = await serveAlternatives(t, security);
      t.strictSame(await callOf(), [undefined], 'no check is asked');
      t.strictSame(await callOf('key'), ['key', 'key']);
      t.strictSame(await callOf('other'), ['Not of key.', 'key']);
      t.strictSame(await callOf('ask later'), ['Cannot ask.', 'key']);
    }
  },
);
