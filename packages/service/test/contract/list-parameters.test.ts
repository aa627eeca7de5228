import t from 'tap';
import {
  documentOfLooks,
  documentOfParameters,
  documentOfQuery,
  serve,
} from '../support/contract/contract.js';
import { refusesDocuments, starting } from '../support/contract/documents.js';
import { accepts, inQuery, refuses } from '../support/contract/requests.js';

/** An array parameter with the default `explode` (`value=a&value=b`), and without it (`value=a,b`). */
const exploded = { ...inQuery, rest: ', explode: true' };
const joined = { ...inQuery, rest: ', explode: false' };

const list = (items: string, rest = '') => `{ type: array, items: ${items}${rest} }`;

const strings = list('{ type: string }');

t.test('an exploded array parameter has one name=value pair for each item', async (t) => {
  await accepts(t, exploded, {
    [strings]: [
      ['?value=a&value=b', ['a', 'b']],
      ['?value=a', ['a']],
      ['?value=', ['']],
      ['?value=a&other=x&value=b&value=a', ['a', 'b', 'a']],
      ['?value=a,b&value=c%2Cd&value=e%26f&value=g+h', ['a,b', 'c,d', 'e&f', 'g h']],
      ['?v%61lue=a&value=b', ['a', 'b']],
    ],
    [list('{ type: integer, format: int64 }')]: [
      ['?value=9007199254740993&value=-1', [9007199254740993n, -1n]],
    ],
    [list('{ type: integer, format: int32 }')]: [['?value=1&value=2', [1, 2]]],
    [list('{ type: number }')]: [['?value=1&value=0.5', [1, 0.5]]],
    [list('{ type: boolean }')]: [['?value=true&value=false', [true, false]]],
  });
});

t.test('an array parameter that is not exploded has all items in one pair', async (t) => {
  await accepts(t, joined, {
    [strings]: [
      ['?value=a,b', ['a', 'b']],
      ['?value=a', ['a']],
      ['?value=', ['']],
      ['?value', ['']],
      ['?value=a,,b,', ['a', '', 'b', '']],
      ['?value=a=b,c', ['a=b', 'c']],
      ['?other=x&v%61lue=a,b&%FF=c', ['a', 'b']],
    ],
    [list('{ type: integer, format: int64 }')]: [['?value=9007199254740993,-1', [9007199254740993n, -1n]]],
    [list('{ type: integer, format: int32 }')]: [['?value=1,2', [1, 2]]],
    [list('{ type: number }')]: [['?value=1,0.5', [1, 0.5]]],
    [list('{ type: boolean }')]: [['?value=true,false', [true, false]]],
  });
});

t.test('a percent-encoded comma in an array parameter is data and does not separate items', async (t) => {
  await accepts(t, joined, {
    [strings]: [
      ['?value=a%2Cb,c', ['a,b', 'c']],
      ['?value=%2c', [',']],
      ['?value=a%252Cb', ['a%2Cb']],
      ['?value=a%26b,%C3%A4,x+y', ['a&b', 'ä', 'x y']],
    ],
  });
});

t.test('an absent array parameter is not an empty array', async (t) => {
  // Without `explode`, a list in the query is exploded.
  for (const place of [inQuery, joined]) {
    await accepts(t, place, {
      [strings]: [
        [undefined, undefined],
        ['?', undefined],
        ['?Value=a', undefined],
      ],
    });
    const required = { ...place, rest: `, required: true${place.rest ?? ''}` };
    await refuses(t, required, { [strings]: [[undefined, 'query/value is missing.']] });
  }
});

t.test('the items and the length of an array parameter are checked', async (t) => {
  const integers = list(
    '{ type: integer, format: int32, maximum: 9 }',
    ', minItems: 2, maxItems: 3, uniqueItems: true',
  );
  const letters = list(
    '{ type: string, enum: [a, b, c, d] }',
    ', minItems: 2, maxItems: 3, uniqueItems: true',
  );
  const parameter = (schema: string, explode: boolean) => [
    `{ name: value, in: query, explode: ${explode}, schema: ${schema} }`,
  ];
  const { call } = await serve(
    t,
    documentOfLooks([
      ['/integers', parameter(integers, true)],
      ['/strings', parameter(letters, true)],
      ['/joinedintegers', parameter(integers, false)],
      ['/joinedstrings', parameter(letters, false)],
    ]),
  );
  for (const [kind, texts, fault] of [
    ['integers', ['1', '2'], undefined],
    ['integers', ['1', '2', '3'], undefined],
    ['integers', ['1'], 'query/value must NOT have fewer than 2 items.'],
    ['integers', ['1', '2', '3', '4'], 'query/value must NOT have more than 3 items.'],
    ['integers', ['1', '2', '1'], 'query/value must NOT have duplicate items.'],
    ['integers', ['1', '10'], 'query/value/1 must be an integer from -2147483648 to 9.'],
    ['integers', ['x', '1'], 'query/value/0 must be an integer from -2147483648 to 9.'],
    ['integers', ['1', '02'], 'query/value/1 must be an integer from -2147483648 to 9.'],
    ['integers', ['1', ''], 'query/value/1 must be an integer from -2147483648 to 9.'],
    ['strings', ['a', 'b'], undefined],
    ['strings', ['a', 'e'], 'query/value/1 must be one of "a", "b", "c", "d".'],
    ['strings', ['a', 'a'], /^query\/value must NOT have duplicate items/],
  ] as const) {
    for (const path of [
      `/${kind}?${texts.map((text) => `value=${text}`).join('&')}`,
      `/joined${kind}?value=${texts.join(',')}`,
    ]) {
      const { status, text } = await call('GET', path);
      t.equal(status, fault === undefined ? 204 : 400, path);
      if (fault !== undefined) t.match(text, fault, path);
    }
  }
});

t.test('uniqueItems on an array parameter is fast for thousands of items', async (t) => {
  const unique = list('{ type: integer, format: int64 }', ', uniqueItems: true');
  const { call, seen } = await serve(
    t,
    documentOfParameters(`{ name: value, in: query, explode: false, schema: ${unique} }`),
  );
  const items = Array.from({ length: 3_000 }, (_, index) => index);
  t.equal((await call('GET', `/look?value=${items.join(',')}`)).status, 204);
  t.equal(Object(seen.at(-1)?.query).value.length, 3_000);
  t.equal((await call('GET', `/look?value=${[...items, 7].join(',')}`)).status, 400);
});

t.test('an array parameter longer than the limit of the request head is a 431', async (t) => {
  const { call, seen } = await serve(t, documentOfQuery(strings));
  t.equal((await call('GET', `/look?${'value=a&'.repeat(1_500)}`)).status, 204);
  t.equal(Object(seen.at(-1)?.query).value.length, 1_500);
  t.equal((await call('GET', `/look?${'value=a&'.repeat(2_500)}`)).status, 431);
});

t.test('an array parameter that is not exploded may come only once', async (t) => {
  const again = 'query/value must not come more than once.';
  await refuses(t, joined, {
    [strings]: [
      ['?value=a&value=b', again],
      ['?value=a&v%61lue=b', again],
      ['?value=a&value=b&value=c', again],
    ],
  });
});

t.test('an array parameter with broken percent-encoding is a 400', async (t) => {
  const broken = 'The query has a broken percent-encoding.';
  const rows = [
    ['?value=a,%FF', broken],
    ['?value=%', broken],
    ['?v%61lue=%ZZ', broken],
  ] as const;
  await refuses(t, inQuery, { [strings]: [...rows, ['?value=a&value=%C3', broken]] });
  await refuses(t, joined, { [strings]: rows });
  for (const rest of ['', ', explode: false']) {
    const { exchange } = await serve(
      t,
      documentOfParameters(`{ name: value, in: query${rest}, schema: ${strings} }`),
    );
    // Fastify takes what follows "#" for the query, though no client sends a fragment.
    t.match(
      await exchange('GET /look#value=%FF HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1.1 400/,
    );
  }
});

t.test('a parameter may be called like a member of Object.prototype', async (t) => {
  const { call, seen } = await serve(
    t,
    documentOfParameters(
      '{ name: toString, in: query, explode: false, schema: { type: array, items: { type: string } } }',
      '{ name: constructor, in: cookie, schema: { type: string } }',
      '{ name: valueOf, in: header, schema: { type: string } }',
    ),
  );
  t.equal((await call('GET', '/look')).status, 204);
  t.strictSame([seen.at(-1)?.query, seen.at(-1)?.header, seen.at(-1)?.cookie], [{}, {}, {}]);
  const headers = { cookie: 'constructor=c', valueof: 'v' };
  t.equal((await call('GET', '/look?toString=a,b', { headers })).status, 204);
  t.match(seen.at(-1), {
    query: { toString: ['a', 'b'] },
    header: { valueOf: 'v' },
    cookie: { constructor: 'c' },
  });
});

t.test('a parameter with alternatives is read by the first reading that fits', async (t) => {
  const { call, seen } = await serve(
    t,
    documentOfParameters(
      '{ name: size, in: query, schema: { oneOf: [{ type: integer, format: int32, maximum: 9 }, { type: string, enum: [all, "70"] }] } }',
      `{ name: tag, in: query, schema: { oneOf: [{ type: boolean }, ${list('{ type: string }')}] } }`,
      `{ name: id, in: query, schema: ${list('{ anyOf: [{ type: integer, format: int64 }, { type: string }] }')} }`,
      '{ name: X-Level, in: header, schema: { allOf: [{ type: integer, format: int32 }] } }',
    ),
  );
  for (const [query, expected] of [
    ['size=7', { size: 7 }],
    ['size=all', { size: 'all' }],
    ['size=70', { size: '70' }],
    ['tag=true', { tag: true }],
    ['tag=a', { tag: ['a'] }],
    ['tag=a&tag=b', { tag: ['a', 'b'] }],
    ['id=5&id=a', { id: [5n, 'a'] }],
  ] as const) {
    t.equal((await call('GET', `/look?${query}`)).status, 204, query);
    t.strictSame(seen.at(-1)?.query, expected, query);
  }
  for (const query of ['size=10', 'size=few', 'size=7&size=8']) {
    t.equal((await call('GET', `/look?${query}`)).status, 400, query);
  }
  await call('GET', '/look', { headers: { 'x-level': '3' } });
  t.strictSame(seen.at(-1)?.header, { 'X-Level': 3 });
});

t.test('array parameters that cannot be written as text stop the start', async (t) => {
  await refusesDocuments(t, starting, documentOfParameters, {
    [`§{ name: value, in: query, schema: ${list('{ type: object }')} }`]: /a parameter of type "object"/,
    [`§{ name: value, in: query, schema: ${list(strings)} }`]:
      'look, query/value: a parameter of type "array" is not supported: use a string, an integer, a number, a boolean, or in the query an array of those.',
    [`§{ name: value, in: header, schema: ${strings} }`]: /a parameter of type "array"/,
    [`§{ name: value, in: cookie, schema: ${strings} }`]: /a parameter of type "array"/,
    [`§{ name: value, in: query, style: pipeDelimited, schema: ${strings} }`]:
      'the parameter value needs a "schema", no "allowEmptyValue", and in the query no "style" but "form".',
  });
});
