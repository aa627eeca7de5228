import t, { type Test } from 'tap';
import {
  contractOf,
  documentOf,
  documentOfBody,
  serve,
  serveContract,
} from '../support/contract/contract.js';
import { accepts, checkBodies, inBody, refuses } from '../support/contract/requests.js';

const schema = '{ type: object, required: [a], properties: { a: { type: string } } }';
const limit = 1000;
const asJson = { 'content-type': 'application/json' };

/** Operations on three paths: the body is required, is optional, or does not exist. */
const yaml = documentOf(`
  /required:
    post:
      operationId: required
      requestBody:
        required: true
        x-limits: { bytes: ${limit}, depth: 2 }
        content: { application/json: { schema: ${schema} } }
      responses: { 204: { description: Taken. } }
  /optional:
    put:
      operationId: optional
      requestBody: { x-limits: { bytes: ${limit}, depth: 2 }, content: { application/json: { schema: ${schema} } } }
      responses: { 204: { description: Taken. } }
  /none:
    ${['get', 'delete', 'post', 'put', 'patch', 'options']
      .map(
        (method) => `${method}: { operationId: ${method}None, responses: { 204: { description: Done. } } }`,
      )
      .join('\n    ')}`);

const { call, exchange, seen } = await serve(t, yaml);

/** The bytes of a request. */
function wire(method: string, path: string, headers: readonly string[], body = ''): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: here', 'Connection: close', ...headers, '', body].join('\r\n');
}

const chunked = (...chunks: string[]) =>
  [...chunks, ''].map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('');

/** A JSON body of this many bytes. */
function bodyOf(bytes: number): string {
  const body = '{"a":""}';
  return body.replace('""', `"${'x'.repeat(bytes - body.length)}"`);
}

/** Sends a body that fits with each value of a header; what follows is the status, or the text of a 415. */
async function checkHeader(
  t: Test,
  name: string,
  table: Readonly<Record<string, 204 | 415 | string>>,
): Promise<void> {
  for (const [value, expected] of Object.entries(table)) {
    const headers = { ...asJson, [name]: value };
    const { status, text } = await call('POST', '/required', { headers, body: '{"a":"b"}' });
    t.equal(status, typeof expected === 'string' ? 415 : expected, value);
    if (typeof expected === 'string') t.equal(text, expected, value);
  }
}

t.test('a required body that is absent is a 400, whatever its Content-Type', async (t) => {
  for (const headers of [{}, asJson, { 'content-type': 'text/plain' }]) {
    const { status, text } = await call('POST', '/required', { headers });
    t.equal(status, 400);
    t.equal(text, 'A body is required: send application/json.');
  }
  t.match(await exchange(wire('POST', '/required', [])), /^HTTP\/1.1 400/, 'without a Content-Length');
});

t.test(
  'an optional body may be absent, whatever its Content-Type, and is checked if it is present',
  async (t) => {
    for (const headers of [{}, asJson, { 'content-type': 'text/plain' }]) {
      t.equal((await call('PUT', '/optional', { headers })).status, 204);
      t.equal(seen.at(-1)?.body, undefined);
    }
    t.match(await exchange(wire('PUT', '/optional', ['Content-Type: application/json'])), /^HTTP\/1.1 204/);
    t.equal((await call('PUT', '/optional', { body: '{"a":"b"}' })).status, 204);
    t.match(seen.at(-1)?.body, { a: 'b' });
    for (const body of ['null', '{}', 'x']) {
      t.equal((await call('PUT', '/optional', { body })).status, 400, body);
    }
    t.equal(
      (await call('PUT', '/optional', { headers: { 'content-type': 'text/plain' }, body: '{"a":"b"}' }))
        .status,
      415,
      'as text/plain',
    );
  },
);

t.test('an empty chunked body is a 400: it is not JSON', async (t) => {
  for (const path of ['POST /required', 'PUT /optional']) {
    const [method = '', target = ''] = path.split(' ');
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    t.match(
      await exchange(wire(method, target, headers, chunked())),
      /^HTTP\/1.1 400[\s\S]*The body is empty\.$/,
    );
  }
});

t.test('a request body may be chunked', async (t) => {
  const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
  t.match(await exchange(wire('POST', '/required', headers, chunked('{"a"', ':"b"}'))), /^HTTP\/1.1 204/);
  t.match(seen.at(-1)?.body, { a: 'b' });
});

t.test('a request body whose type is not application/json is a 415', async (t) => {
  const body = '{"a":"b"}';
  for (const type of [
    'application/json',
    'APPLICATION/JSON',
    'Application/Json ; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; Charset=Utf-8',
    'application/json;',
    'application/json; version=1; charset=utf-8',
  ]) {
    const sent = seen.length;
    t.equal((await call('POST', '/required', { headers: { 'content-type': type }, body })).status, 204, type);
    t.match(seen[sent]?.body, { a: 'b' }, type);
    const unfit = await call('POST', '/required', { headers: { 'content-type': type }, body: '{"a":1}' });
    t.equal(unfit.text, 'body/a must be string.', `${type}, held against the schema`);
  }
  const notJson = 'The Content-Type must be application/json.';
  await checkHeader(t, 'content-type', {
    'text/plain': notJson,
    'text/json': notJson,
    'application/jsonx': notJson,
    'application/json5': notJson,
    'application/vnd.api+json': notJson,
    'application/x-www-form-urlencoded': notJson,
    'multipart/form-data; boundary=x': notJson,
    json: notJson,
    application: notJson,
    '/': notJson,
    ';': notJson,
    '*/*': notJson,
    'application/*': notJson,
    'application/json, text/plain': notJson,
    'text/plain; application/json': notJson,
  });
  t.match(
    await exchange(wire('POST', '/required', [`Content-Length: ${body.length}`], body)),
    /^HTTP\/1.1 415/,
  );
});

t.test('a request body in a charset other than UTF-8 is a 415', async (t) => {
  const notUtf8 = 'The body must be encoded in UTF-8.';
  await checkHeader(t, 'content-type', {
    'application/json; charset=utf-16': notUtf8,
    'application/json; charset=latin1': notUtf8,
    'application/json; charset=utf8': notUtf8,
    'application/json; charset=': notUtf8,
    'application/json; charset="': notUtf8,
    'application/json; charset=utf-8, utf-16': notUtf8,
    "application/json; charset='utf-8'": notUtf8,
  });
});

t.test('a request body with a content coding other than identity is a 415', async (t) => {
  await checkHeader(t, 'content-encoding', {
    identity: 204,
    IDENTITY: 204,
    gzip: 415,
    br: 415,
    'identity, gzip': 415,
  });
});

t.test('a Content-Type with two charsets is a 415 (RFC 6838, section 4.3)', async (t) => {
  await checkHeader(t, 'content-type', {
    'application/json; charset=utf-8; charset=latin1': 415,
    'application/json; charset=latin1; charset=utf-8': 415,
    'application/json; charset=utf-8;x=y;Charset="utf-8"': 415,
  });
});

t.test('a transfer coding other than "chunked" alone is a 415 (RFC 9112, section 6.1)', async (t) => {
  const sent = async (coding: string) =>
    exchange(
      wire(
        'POST',
        '/required',
        ['Content-Type: application/json', `Transfer-Encoding: ${coding}`],
        chunked('{"a":"b"}'),
      ),
    );
  for (const coding of ['chunked', 'Chunked', ' chunked '])
    t.match(await sent(coding), /^HTTP\/1.1 204/, coding);
  const taken = seen.length;
  for (const coding of [
    'gzip, chunked',
    'gzip,chunked',
    'identity, chunked',
    'gzip\r\nTransfer-Encoding: chunked',
  ])
    t.match(await sent(coding), /^HTTP\/1.1 415/, coding);
  // Node's parser itself may refuse these with a 400: without a final "chunked", the body has no end.
  for (const coding of ['gzip', 'chunked, gzip', 'chunked, chunked', 'identity'])
    t.match(await sent(coding), /^HTTP\/1.1 4(?:00|15)/, coding);
  t.equal(seen.length, taken);
});

t.test('a request body that is not UTF-8 is a 400 (RFC 8259, section 8.1)', async (t) => {
  for (const bytes of [
    [0xff],
    [0xc3],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe2, 0x82],
  ]) {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const { status, text } = await call('POST', '/required', { body });
    t.equal(status, 400);
    t.equal(text, 'The body is not UTF-8.', body.toString('hex'));
  }
  t.equal((await call('POST', '/required', { body: '\ufeff{"a":"€😀"}' })).status, 204);
  t.match(seen.at(-1)?.body, { a: '€😀' });
});

t.test('a request body that is not JSON is a 400 that says where', async (t) => {
  for (const [body, message] of [
    ['{"a":"b",}', 'The body is not JSON: a member name is missing, at character 10.'],
    ['{"a":"b","a":"b"}', 'The body names a member twice, at character 10.'],
    ['{"a":"b","b":[[]]}', 'The body is nested deeper than 2 levels, at character 15.'],
    [' ', 'The body is empty.'],
  ] as const) {
    t.equal((await call('POST', '/required', { body })).text, message);
  }
});

t.test('a request body of exactly the largest size is taken, and one byte more is a 413', async (t) => {
  t.equal((await call('POST', '/required', { body: bodyOf(limit) })).status, 204);
  t.equal((await call('POST', '/required', { body: bodyOf(limit + 1) })).status, 413);
  const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const half = bodyOf(limit).slice(0, limit / 2);
  t.match(
    await exchange(wire('POST', '/required', headers, chunked(half, bodyOf(limit).slice(limit / 2)))),
    /^HTTP\/1.1 204/,
  );
  t.match(
    await exchange(wire('POST', '/required', headers, chunked(half, bodyOf(limit + 1).slice(limit / 2)))),
    /^HTTP\/1.1 413/,
  );
  // The Content-Length alone is enough: no byte of this body is sent.
  t.match(
    await exchange(
      wire('POST', '/required', ['Content-Type: application/json', `Content-Length: ${limit + 1}`]),
    ),
    /^HTTP\/1.1 413/,
  );
});

t.test('a body sent to an operation without a request body is ignored, whatever it is', async (t) => {
  for (const method of ['GET', 'DELETE', 'POST', 'PUT', 'PATCH', 'OPTIONS']) {
    for (const type of [
      'application/json',
      'text/plain',
      'nonsense',
      'application/json; charset=latin1',
      '',
    ]) {
      for (const body of ['', '{', 'x'.repeat(2 ** 21)]) {
        const about = type === '' ? [] : [`Content-Type: ${type}`, 'Content-Encoding: gzip'];
        const answer = await exchange(
          wire(method, '/none', [...about, `Content-Length: ${body.length}`], body),
        );
        t.match(answer, /^HTTP\/1.1 204/, `${method} with ${body.length} bytes of ${type}`);
        t.equal(seen.at(-1)?.body, undefined);
      }
      const headers = [...(type === '' ? [] : [`Content-Type: ${type}`]), 'Transfer-Encoding: chunked'];
      t.match(
        await exchange(wire(method, '/none', headers, chunked('{', '"'))),
        /^HTTP\/1.1 204/,
        `${method}, ${type}, in chunks`,
      );
    }
  }
});

t.test('a connection can be reused after a body that no operation reads', async (t) => {
  const first = wire('DELETE', '/none', ['Content-Length: 5'], 'abcde').replace('Connection: close\r\n', '');
  const answers = await exchange(first + wire('DELETE', '/none', []));
  t.equal(answers.match(/HTTP\/1.1 204/g)?.length, 2);
});

t.test('a 400 for a body names the place in it that does not fit', async (t) => {
  const nested = `{ type: object, required: [a], additionalProperties: false, properties: {
            a: { type: array, maxItems: 2, items: { type: object, required: [b], properties: {
              b: { type: string, minLength: 2 }, 'c/~d': { type: boolean } } } } } }`;
  await refuses(t, inBody, {
    [nested]: [
      ['[]', 'body must be object.'],
      ['null', 'body must be object.'],
      ['"a"', 'body must be object.'],
      ['{}', "body must have required property 'a'."],
      ['{"a":[],"b":1}', 'body must NOT have additional properties.'],
      ['{"a":{}}', 'body/a must be array.'],
      ['{"a":[{},{},{}]}', 'body/a must NOT have more than 2 items.'],
      ['{"a":[{"b":"bb"},{}]}', "body/a/1 must have required property 'b'."],
      ['{"a":[{"b":"b"}]}', 'body/a/0/b must NOT have fewer than 2 characters.'],
      ['{"a":[{"b":"bb","c/~d":0}]}', 'body/a/0/c~1~0d must be boolean.'],
    ],
  });
});

t.test('a name from Object.prototype, such as toString, is not a member of every body', async (t) => {
  await checkBodies(t, {
    '{ type: object, required: [toString], properties: { toString: { type: string }, valueOf: { type: string } } }':
      { fit: ['{"toString":"x"}'], unfit: ['{}'] },
  });
});

t.test('values in a body are not coerced to the type of the schema', async (t) => {
  await refuses(t, inBody, {
    '{ type: string }': [['1'], ['true'], ['null'], ['[]'], ['["a"]']],
    '{ type: boolean }': [['"true"'], ['0'], ['1'], ['null']],
    '{ type: array, items: {} }': [['{}'], ['"[]"'], ['null'], ['1']],
    '{ type: object }': [['[]'], ['null'], ['""']],
    '{ type: string, enum: [a, b] }': [['"c"'], ['"A"'], ['null']],
    '{ anyOf: [{ type: string }, { type: boolean }] }': [['1'], ['null']],
    '{ oneOf: [{ type: string, minLength: 1 }, { type: string, maxLength: 1 }] }': [['"a"']],
    '{ not: { type: string } }': [['"a"']],
    '{ type: object, additionalProperties: { type: string } }': [['{"a":1}']],
  });
});

t.test('schema keywords for documentation do not affect validation', async (t) => {
  await accepts(t, inBody, {
    '{ type: string, title: A, description: B, example: 1, deprecated: true, writeOnly: true, externalDocs: { url: "https://docs.example/" }, xml: { name: c }, x-own: 1 }':
      [['"a"', 'a']],
  });
});

t.test('a route outside the contract gets no body', async (t) => {
  const { app, call } = await serve(t, yaml, {}, (app) => {
    app.post('/outside', { config: { besideContract: true } }, async ({ body }) => ({ body: String(body) }));
  });
  t.ok(app.hasRoute({ method: 'POST', url: '/outside' }));
  t.equal((await call('POST', '/outside', { body: '{' })).text, '{"body":"undefined"}');
});

t.test('an internal failure of the JSON parser is a 500, not a 400', async (t) => {
  const contract = await contractOf(t, documentOfBody('{}', '{ bytes: 1000000, depth: 5 }'));
  // The depth exceeds what a contract may allow, and the call stack.
  const operations = contract.operations.map(({ requestBody, ...operation }) => ({
    ...operation,
    requestBody: requestBody && { ...requestBody, limits: { ...requestBody.limits, depth: 1_000_000 } },
  }));
  const { call } = await serveContract(t, { ...contract, operations });
  const { status } = await call('POST', '/echo', { body: '['.repeat(1_000_000) });
  t.equal(status, 500);
});

t.test(
  'an operation can accept several media types, and checks a body with the schema of its own type',
  async (t) => {
    const other = '{ type: object, required: [b], properties: { b: { type: integer, format: int64 } } }';
    const { call, seen } = await serve(
      t,
      documentOf(`
  /several:
    patch:
      operationId: several
      requestBody:
        x-limits: { bytes: ${limit}, depth: 2 }
        content:
          application/json: { schema: ${schema} }
          application/merge-patch+json: { schema: ${other} }
      responses: { 204: { description: Taken. } }
  /patch:
    patch:
      operationId: patch
      requestBody:
        required: true
        x-limits: { bytes: ${limit}, depth: 2 }
        content: { application/merge-patch+json: { schema: ${other} } }
      responses: { 204: { description: Taken. } }`),
    );
    const sent = async (path: string, type: string, body: string) => {
      const { status, text } = await call('PATCH', path, { headers: { 'content-type': type }, body });
      return status === 204 ? seen.pop() : `${status} ${text}`;
    };
    t.match(await sent('/several', 'application/json', '{"a":"x"}'), {
      mediaType: 'application/json',
      body: { a: 'x' },
    });
    for (const type of [
      'application/merge-patch+json',
      'Application/Merge-Patch+JSON; charset=utf-8',
      'application/merge-patch+json ;charset="UTF-8"',
    ]) {
      t.match(await sent('/several', type, '{"b":9007199254740993,"c":1}'), {
        mediaType: 'application/merge-patch+json',
        body: { b: 9007199254740993n, c: undefined },
      });
    }
    t.equal(
      await sent('/several', 'application/json', '{"b":1}'),
      "400 body must have required property 'a'.",
      'not the schema of the other',
    );
    t.equal(
      await sent('/several', 'application/merge-patch+json', '{'),
      '400 The body is not JSON: a member name is missing, at character 2.',
    );
    t.equal(
      await sent('/several', 'application/other+json', '{"a":"x"}'),
      '415 The Content-Type must be application/json or application/merge-patch+json.',
    );
    t.equal((await call('PATCH', '/several')).status, 204);
    t.match(seen.pop(), { mediaType: undefined, body: undefined }, 'no body is of no type');

    t.match(await sent('/patch', 'application/merge-patch+json', '{"b":1}'), {
      mediaType: undefined,
      body: { b: 1n },
    });
    t.equal(
      await sent('/patch', 'application/json', '{"b":1}'),
      '415 The Content-Type must be application/merge-patch+json.',
    );
    t.equal((await call('PATCH', '/patch')).text, 'A body is required: send application/merge-patch+json.');
  },
);
