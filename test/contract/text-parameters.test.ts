import t from 'tap';
import { documentOf, documentOfQuery, looksAt, serve } from '../support/contract/contract.js';

/** A path for each type of parameter. */
const paths = documentOf(
  ['integer, format: int64', 'number', 'boolean', 'string']
    .map(
      (type) => `
  /${type.split(',')[0]}/{value}:
    get:
      operationId: ${type.split(',')[0]}
      parameters: [{ name: value, in: path, required: true, schema: { type: ${type} } }]
      responses: { 204: { description: Seen. } }`,
    )
    .join(''),
);
const { call, seen } = await serve(t, paths);

const integers = ['0', '-0', '5', '-5', '10', '9007199254740993'];
const noIntegers = [
  ...[
    '0x10',
    '0b1',
    '0o7',
    '1e3',
    '1E3',
    ' 5',
    '5 ',
    '\t5',
    '5\n',
    '+5',
    '--5',
    '- 5',
    '-',
    '007',
    '-05',
    '00',
  ],
  ...[
    '1.0',
    '1.',
    '.5',
    '1,000',
    '1_000',
    '5n',
    '',
    'null',
    'true',
    'NaN',
    'Infinity',
    '١٢',
    '１',
    '²',
    '5\0',
    '[5]',
  ],
];
const numbers = ['0', '-0', '5', '-5', '0.5', '-0.5', '10.25', '0.0', '12345678901234567890'];
const noNumbers = [
  ...[
    '.5',
    '5.',
    '+0.5',
    '00.5',
    '1e3',
    '0x1',
    ' 0.5',
    '0.5 ',
    '0,5',
    '',
    'NaN',
    'Infinity',
    '-Infinity',
    '٠.٥',
  ],
  '9'.repeat(400),
];

t.test('a query integer is a plain decimal integer', async (t) => {
  const { call, seen } = await serve(t, documentOfQuery('{ type: integer, format: int64 }'));
  for (const text of integers) {
    t.equal((await call('GET', `/look?value=${encodeURIComponent(text)}`)).status, 204, text);
    t.strictSame(seen.at(-1)?.query, { value: BigInt(text) }, text);
  }
  for (const text of noIntegers) {
    t.equal((await call('GET', `/look?value=${encodeURIComponent(text)}`)).status, 400, JSON.stringify(text));
  }
  t.equal((await call('GET', '/look?value=+5')).status, 400, 'a plus is a space');
  t.equal((await call('GET', '/look?value')).status, 400, 'no equals sign');
  t.equal((await call('GET', '/look?value=%35')).status, 204, 'a digit in percent-encoding is a digit');
  t.equal((await call('GET', '/look?v%61lue=x')).status, 400, 'and so is the name');
});

t.test('a path integer is a plain decimal integer', async (t) => {
  for (const text of integers) {
    t.equal((await call('GET', `/integer/${encodeURIComponent(text)}`)).status, 204, text);
    t.strictSame(seen.at(-1)?.path, { value: BigInt(text) }, text);
  }
  for (const text of noIntegers) {
    const { status } = await call('GET', `/integer/${encodeURIComponent(text)}`);
    t.equal(status, text === '' ? 404 : 400, JSON.stringify(text));
  }
});

t.test('a query number is a plain decimal number', async (t) => {
  const { call, seen } = await serve(t, documentOfQuery('{ type: number }'));
  for (const text of numbers) {
    t.equal((await call('GET', `/look?value=${text}`)).status, 204, text);
    t.strictSame(seen.at(-1)?.query, { value: Number(text) }, text);
  }
  for (const text of noNumbers) {
    t.equal((await call('GET', `/look?value=${encodeURIComponent(text)}`)).status, 400, JSON.stringify(text));
  }
});

t.test('a query boolean is "true" or "false"', async (t) => {
  const { call, seen } = await serve(t, documentOfQuery('{ type: boolean }'));
  for (const value of [true, false]) {
    await call('GET', `/look?value=${value}`);
    t.strictSame(seen.at(-1)?.query, { value });
  }
  for (const text of ['True', 'TRUE', '1', '0', '', 'yes', 'null', ' true']) {
    const { status, text: message } = await call('GET', `/look?value=${encodeURIComponent(text)}`);
    t.equal(status, 400, JSON.stringify(text));
    t.equal(message, 'query/value must be boolean.');
  }
});

t.test('a query string is percent-decoded as UTF-8', async (t) => {
  const { call, seen } = await serve(t, documentOfQuery('{ type: string, maxLength: 3 }'));
  for (const [text, value] of [
    ['', ''],
    ['abc', 'abc'],
    ['a+b', 'a b'],
    ['%2B%26%3D', '+&='],
    ['%E2%82%AC', '€'],
    ['%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80', '😀😀😀'],
    ['%00', '\0'],
    ['%25FF', '%FF'],
    ['12', '12'],
    ['nul', 'nul'],
  ] as const) {
    t.equal((await call('GET', `/look?value=${text}`)).status, 204, text);
    t.strictSame(seen.at(-1)?.query, { value }, text);
  }
  t.equal((await call('GET', '/look?value=abcd')).text, 'query/value must NOT have more than 3 characters.');
});

t.test('a query whose percent-encoding is not UTF-8 is a 400', async (t) => {
  const { call, exchange, seen } = await serve(t, documentOfQuery('{ type: string }'));
  for (const text of ['%FF', '%C3', '%E2%82', '%ED%A0%80', '%C0%80', '%', '%1', '%ZZ', 'a%']) {
    const { status, text: message } = await call('GET', `/look?value=${text}`);
    t.equal(status, 400, text);
    t.equal(message, 'The query has a broken percent-encoding.', text);
  }
  for (const query of ['x=%FF&value=%FF', '%76alue=%FF', 'value=a&value=%FF'])
    t.equal((await call('GET', `/look?${query}`)).status, 400, query);
  t.match(
    await exchange('GET /look?value=\xff HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1.1 (400|204)/,
    'raw bytes bring nothing down',
  );
  t.strictSame(
    seen.filter(({ query }) => JSON.stringify(query).includes('%')),
    [],
  );
});

t.test('a path whose percent-encoding is not UTF-8 is a 400', async (t) => {
  for (const text of ['%80', '%FF', '%', '%ZZ', '%C3']) {
    for (const method of ['GET', 'DELETE', 'PROPFIND']) {
      t.equal((await call(method, `/string/${text}`)).status, 400, `${method} ${text}`);
      t.equal((await call(method, `/${text}`)).status, 400, `${method} ${text}`);
    }
  }
  for (const [text, value] of [
    ['a%2Fb', 'a/b'],
    ['%E2%82%AC', '€'],
    ['a+b', 'a+b'],
    ['%2B', '+'],
    ['%25FF', '%FF'],
    ['a%3Fb%23c', 'a?b#c'],
    ['..a', '..a'],
  ] as const) {
    t.equal((await call('GET', `/string/${text}`)).status, 204, text);
    t.strictSame(seen.at(-1)?.path, { value }, text);
  }
});

t.test('a query parameter that comes twice is a 400 if it is not an array', async (t) => {
  const schemas = ['{ type: integer, format: int64 }', '{ type: boolean }', '{ type: string }'];
  const { yaml, pathOf } = looksAt('query', 'value', schemas);
  const { call } = await serve(t, yaml);
  for (const schema of schemas) {
    t.equal((await call('GET', `${pathOf(schema)}?value=1&value=1`)).status, 400, schema);
    t.equal((await call('GET', `${pathOf(schema)}?value=&value`)).status, 400, schema);
  }
});

t.test('query parameters that the contract does not name are ignored', async (t) => {
  const { call, seen } = await serve(t, documentOfQuery('{ type: string }'));
  t.equal((await call('GET', '/look?other=1&other=2&__proto__=x&toString=y&value[]=1&Value=2')).status, 204);
  t.strictSame(seen.at(-1)?.query, {});
  for (const query of [
    '&&=&value=a&',
    'x=%FF&value=a',
    '%FF=%&value=a',
    'value=a&x%',
    '%ZZvalue=b&value=a',
  ]) {
    t.equal((await call('GET', `/look?${query}`)).status, 204, query);
    t.strictSame(seen.at(-1)?.query, { value: 'a' }, query);
  }
});

t.test('an operation without query parameters does not read the query', async (t) => {
  t.equal((await call('GET', '/string/a?x=%FF&value=%')).status, 204);
});

t.test('an absent query parameter is a 400 if it is required', async (t) => {
  const yaml = documentOfQuery('{ type: string }').replace('in: query', 'in: query, required: true');
  const { call } = await serve(t, yaml);
  t.equal((await call('GET', '/look?value=')).status, 204, 'an empty one is there');
  t.equal((await call('GET', '/look')).status, 400);
  t.equal((await call('GET', '/look?Value=a')).text, 'query/value is missing.');
});

t.test('enum, pattern and format are checked in parameters, too', async (t) => {
  const cases = [
    ['{ type: string, enum: [up, down] }', 'up', 'Up'],
    ['{ type: string, pattern: "^[a-z]+$" }', 'abc', 'abC'],
    ['{ type: string, format: uuid }', '123e4567-e89b-12d3-a456-426614174000', '123'],
    ['{ type: integer, format: int32, enum: [1, 2] }', '2', '3'],
  ] as const;
  const { yaml, pathOf } = looksAt(
    'query',
    'value',
    cases.map(([schema]) => schema),
  );
  const { call } = await serve(t, yaml);
  for (const [schema, fit, misfit] of cases) {
    t.equal((await call('GET', `${pathOf(schema)}?value=${fit}`)).status, 204, schema);
    t.equal((await call('GET', `${pathOf(schema)}?value=${misfit}`)).status, 400, schema);
  }
});

t.test('parameters of a path apply to each of its operations, which may override them', async (t) => {
  const { call, seen } = await serve(
    t,
    documentOf(
      `
  /shelves/{shelf}/books/{book}:
    parameters:
      - { name: shelf, in: path, required: true, schema: { type: integer, format: int32 } }
      - { $ref: '#/components/parameters/Page' }
      - { name: sort, in: query, schema: { type: string, maxLength: 1 } }
    get:
      operationId: readBook
      parameters:
        - { name: book, in: path, required: true, schema: { type: integer, format: int64 } }
        - { name: sort, in: query, schema: { type: boolean } }
      responses: { 204: { description: Read. } }`,
      'components: { parameters: { Page: { name: page, in: query, schema: { type: integer, format: int32 } } } }',
    ),
  );
  t.equal((await call('GET', '/shelves/1/books/2?page=3&sort=true')).status, 204);
  const { arrivedAt, ...values } = Object(seen.at(-1));
  t.type(arrivedAt, 'number');
  t.strictSame(values, {
    path: { shelf: 1, book: 2n },
    query: { page: 3, sort: true },
    header: undefined,
    cookie: undefined,
    body: undefined,
    mediaType: undefined,
    caller: undefined,
  });
  for (const path of [
    '/shelves/x/books/2',
    '/shelves/1/books/x',
    '/shelves/1/books/2?page=x',
    '/shelves/1/books/2?sort=a',
  ]) {
    t.equal((await call('GET', path)).status, 400, path);
  }
});
