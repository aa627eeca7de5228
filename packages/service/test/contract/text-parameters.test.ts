import t from 'tap';
import { documentOf, documentOfLooks, documentOfQuery, serve } from '../support/contract/contract.js';
import { accepts, inPath, inQuery, refuses } from '../support/contract/requests.js';

const int64 = '{ type: integer, format: int64 }';

/** The query with this text as the value, of which no character stands for another. */
const queryOf = (text: string) => `?value=${encodeURIComponent(text)}`;

/** A document with `GET /look/{value}`. */
const documentOfPath = (schema: string) =>
  documentOfLooks([['/look/{value}', [`{ name: value, in: path, required: true, schema: ${schema} }`]]]);

const integers = ['0', '-0', '5', '-5', '10', '9007199254740993'];
const noIntegers = [
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
];
const numbers = ['0', '-0', '5', '-5', '0.5', '-0.5', '10.25', '0.0', '12345678901234567890'];
const noNumbers = [
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
  '9'.repeat(400),
];

t.test('a query integer is a plain decimal integer', async (t) => {
  await accepts(t, inQuery, {
    // A digit may be percent-encoded.
    [int64]: [...integers.map((text) => [queryOf(text), BigInt(text)] as const), ['?value=%35', 5n]],
  });
  await refuses(t, inQuery, {
    [int64]: [
      ...noIntegers.map((text) => [queryOf(text)] as const),
      // A plus is a space.
      ['?value=+5'],
      ['?value'],
      ['?v%61lue=x'],
    ],
  });
});

t.test('a path integer is a plain decimal integer', async (t) => {
  await accepts(t, inPath, {
    [int64]: integers.map((text) => [encodeURIComponent(text), BigInt(text)]),
  });
  await refuses(t, inPath, {
    [int64]: noIntegers.filter((text) => text !== '').map((text) => [encodeURIComponent(text)]),
  });
  const { call } = await serve(t, documentOfPath(int64));
  t.equal((await call('GET', '/look/')).status, 404, 'an empty segment is another path');
});

t.test('a query number is a plain decimal number', async (t) => {
  await accepts(t, inQuery, {
    '{ type: number }': numbers.map((text) => [queryOf(text), Number(text)]),
  });
  await refuses(t, inQuery, { '{ type: number }': noNumbers.map((text) => [queryOf(text)]) });
});

t.test('a query boolean is "true" or "false"', async (t) => {
  await accepts(t, inQuery, {
    '{ type: boolean }': [
      ['?value=true', true],
      ['?value=false', false],
    ],
  });
  const others = ['True', 'TRUE', '1', '0', '', 'yes', 'null', ' true'];
  await refuses(t, inQuery, {
    '{ type: boolean }': others.map((text) => [queryOf(text), 'query/value must be boolean.']),
  });
});

t.test('a query string is percent-decoded as UTF-8', async (t) => {
  await accepts(t, inQuery, {
    '{ type: string, maxLength: 3 }': [
      ['?value=', ''],
      ['?value=abc', 'abc'],
      ['?value=a+b', 'a b'],
      ['?value=%2B%26%3D', '+&='],
      ['?value=%E2%82%AC', '€'],
      ['?value=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80', '😀😀😀'],
      ['?value=%00', '\0'],
      ['?value=%25FF', '%FF'],
      ['?value=12', '12'],
      ['?value=nul', 'nul'],
    ],
  });
  await refuses(t, inQuery, {
    '{ type: string, maxLength: 3 }': [['?value=abcd', 'query/value must NOT have more than 3 characters.']],
  });
});

t.test('a query whose percent-encoding is not UTF-8 is a 400', async (t) => {
  const broken = 'The query has a broken percent-encoding.';
  await refuses(t, inQuery, {
    '{ type: string }': [
      ['?value=%FF', broken],
      ['?value=%C3', broken],
      ['?value=%E2%82', broken],
      ['?value=%ED%A0%80', broken],
      ['?value=%C0%80', broken],
      ['?value=%', broken],
      ['?value=%1', broken],
      ['?value=%ZZ', broken],
      ['?value=a%', broken],
      ['?x=%FF&value=%FF'],
      ['?%76alue=%FF'],
      ['?value=a&value=%FF'],
    ],
  });
  const { exchange } = await serve(t, documentOfQuery('{ type: string }'));
  t.match(
    await exchange('GET /look?value=\xff HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1.1 (400|204)/,
    'raw bytes bring nothing down',
  );
});

t.test('a path whose percent-encoding is not UTF-8 is a 400', async (t) => {
  await accepts(t, inPath, {
    '{ type: string }': [
      ['a%2Fb', 'a/b'],
      ['%E2%82%AC', '€'],
      ['a+b', 'a+b'],
      ['%2B', '+'],
      ['%25FF', '%FF'],
      ['a%3Fb%23c', 'a?b#c'],
      ['..a', '..a'],
    ],
  });
  const { call } = await serve(t, documentOfPath('{ type: string }'));
  for (const text of ['%80', '%FF', '%', '%ZZ', '%C3']) {
    for (const method of ['GET', 'DELETE', 'PROPFIND']) {
      t.equal((await call(method, `/look/${text}`)).status, 400, `${method} ${text}`);
      t.equal((await call(method, `/${text}`)).status, 400, `${method} ${text}`);
    }
  }
});

t.test('a query parameter that comes twice is a 400 if it is not an array', async (t) => {
  const twice = [['?value=1&value=1'], ['?value=&value']] as const;
  await refuses(t, inQuery, {
    '{ type: integer, format: int64 }': twice,
    '{ type: boolean }': twice,
    '{ type: string }': twice,
  });
});

t.test('query parameters that the contract does not name are ignored', async (t) => {
  await accepts(t, inQuery, {
    '{ type: string }': [
      ['?other=1&other=2&__proto__=x&toString=y&value[]=1&Value=2', undefined],
      ['?&&=&value=a&', 'a'],
      ['?x=%FF&value=a', 'a'],
      ['?%FF=%&value=a', 'a'],
      ['?value=a&x%', 'a'],
      ['?%ZZvalue=b&value=a', 'a'],
    ],
  });
});

t.test('an operation without query parameters does not read the query', async (t) => {
  const { call } = await serve(t, documentOfPath('{ type: string }'));
  t.equal((await call('GET', '/look/a?x=%FF&value=%')).status, 204);
});

t.test('an absent query parameter is a 400 if it is required', async (t) => {
  const required = { ...inQuery, rest: ', required: true' };
  // An empty value is not absent.
  await accepts(t, required, { '{ type: string }': [['?value=', '']] });
  await refuses(t, required, {
    '{ type: string }': [[undefined], ['?Value=a', 'query/value is missing.']],
  });
});

t.test('enum, pattern and format are checked in parameters, too', async (t) => {
  await accepts(t, inQuery, {
    '{ type: string, enum: [up, down] }': [['?value=up', 'up']],
    '{ type: string, pattern: "^[a-z]+$" }': [['?value=abc', 'abc']],
    '{ type: string, format: uuid }': [
      ['?value=123e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'],
    ],
    '{ type: integer, format: int32, enum: [1, 2] }': [['?value=2', 2]],
  });
  await refuses(t, inQuery, {
    '{ type: string, enum: [up, down] }': [['?value=Up']],
    '{ type: string, pattern: "^[a-z]+$" }': [['?value=abC']],
    '{ type: string, format: uuid }': [['?value=123']],
    '{ type: integer, format: int32, enum: [1, 2] }': [['?value=3']],
  });
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
