import t from 'tap';
import {
  contractOf,
  documentOfLooks,
  documentOfParameters,
  documentOfQuery,
  faultOf,
  routed,
  serve,
} from '../support/contract/contract.js';

/** The parameter with the default `explode` (`value=a&value=b`), and without it (`value=a,b`). */
const exploded = (schema: string) => documentOfQuery(schema);
const joined = (schema: string) =>
  documentOfParameters(`{ name: value, in: query, explode: false, schema: ${schema} }`);

const list = (items: string, rest = '') => `{ type: array, items: ${items}${rest} }`;

const kinds = {
  string: '{ type: string }',
  int64: '{ type: integer, format: int64 }',
  int32: '{ type: integer, format: int32 }',
  number: '{ type: number }',
  boolean: '{ type: boolean }',
};

/** A document with one array parameter for each kind of item. */
const ofEachKind = (explode: boolean) =>
  documentOfLooks(
    Object.entries(kinds).map(([kind, items]) => [
      `/${kind}`,
      [`{ name: value, in: query, explode: ${explode}, schema: ${list(items)} }`],
    ]),
  );

t.test('an exploded array parameter has one name=value pair for each item', async (t) => {
  const { call, seen } = await serve(t, ofEachKind(true));
  for (const [kind, query, value] of [
    ['string', 'value=a&value=b', ['a', 'b']],
    ['string', 'value=a', ['a']],
    ['string', 'value=', ['']],
    ['string', 'value=a&other=x&value=b&value=a', ['a', 'b', 'a']],
    ['string', 'value=a,b&value=c%2Cd&value=e%26f&value=g+h', ['a,b', 'c,d', 'e&f', 'g h']],
    ['string', 'v%61lue=a&value=b', ['a', 'b']],
    ['int64', 'value=9007199254740993&value=-1', [9007199254740993n, -1n]],
    ['int32', 'value=1&value=2', [1, 2]],
    ['number', 'value=1&value=0.5', [1, 0.5]],
    ['boolean', 'value=true&value=false', [true, false]],
  ] as const) {
    t.equal((await call('GET', `/${kind}?${query}`)).status, 204, query);
    t.strictSame(seen.at(-1)?.query, { value }, query);
  }
});

t.test('an array parameter that is not exploded has all items in one pair', async (t) => {
  const { call, seen } = await serve(t, ofEachKind(false));
  for (const [kind, query, value] of [
    ['string', 'value=a,b', ['a', 'b']],
    ['string', 'value=a', ['a']],
    ['string', 'value=', ['']],
    ['string', 'value', ['']],
    ['string', 'value=a,,b,', ['a', '', 'b', '']],
    ['string', 'value=a=b,c', ['a=b', 'c']],
    ['string', 'other=x&v%61lue=a,b&%FF=c', ['a', 'b']],
    ['int64', 'value=9007199254740993,-1', [9007199254740993n, -1n]],
    ['int32', 'value=1,2', [1, 2]],
    ['number', 'value=1,0.5', [1, 0.5]],
    ['boolean', 'value=true,false', [true, false]],
  ] as const) {
    t.equal((await call('GET', `/${kind}?${query}`)).status, 204, query);
    t.strictSame(seen.at(-1)?.query, { value }, query);
  }
});

t.test('a percent-encoded comma in an array parameter is data and does not separate items', async (t) => {
  const { call, seen } = await serve(t, joined(list('{ type: string }')));
  for (const [query, value] of [
    ['value=a%2Cb,c', ['a,b', 'c']],
    ['value=%2c', [',']],
    ['value=a%252Cb', ['a%2Cb']],
    ['value=a%26b,%C3%A4,x+y', ['a&b', 'ä', 'x y']],
  ] as const) {
    t.equal((await call('GET', `/look?${query}`)).status, 204, query);
    t.strictSame(seen.at(-1)?.query, { value }, query);
  }
});

t.test('an absent array parameter is not an empty array', async (t) => {
  for (const yaml of [exploded(list('{ type: string }')), joined(list('{ type: string }'))]) {
    const { call, seen } = await serve(t, yaml);
    for (const path of ['/look', '/look?', '/look?Value=a']) {
      t.equal((await call('GET', path)).status, 204, path);
      t.strictSame(seen.at(-1)?.query, {}, path);
    }
    const required = yaml.replace('in: query', 'in: query, required: true');
    t.equal((await (await serve(t, required)).call('GET', '/look')).text, 'query/value is missing.');
  }
});

t.test('the items and the length of an array parameter are checked', async (t) => {
  const integers = list(
    '{ type: integer, format: int32, maximum: 9 }',
    ', minItems: 2, maxItems: 3, uniqueItems: true',
  );
  const strings = list(
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
      ['/strings', parameter(strings, true)],
      ['/joinedintegers', parameter(integers, false)],
      ['/joinedstrings', parameter(strings, false)],
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
  const { call, seen } = await serve(
    t,
    joined(list('{ type: integer, format: int64 }', ', uniqueItems: true')),
  );
  const items = Array.from({ length: 3_000 }, (_, index) => index);
  t.equal((await call('GET', `/look?value=${items.join(',')}`)).status, 204);
  t.equal(Object(seen.at(-1)?.query).value.length, 3_000);
  t.equal((await call('GET', `/look?value=${[...items, 7].join(',')}`)).status, 400);
});

t.test('an array parameter longer than the limit of the request head is a 431', async (t) => {
  const { call, seen } = await serve(t, exploded(list('{ type: string }')));
  t.equal((await call('GET', `/look?${'value=a&'.repeat(1_500)}`)).status, 204);
  t.equal(Object(seen.at(-1)?.query).value.length, 1_500);
  t.equal((await call('GET', `/look?${'value=a&'.repeat(2_500)}`)).status, 431);
});

t.test('an array parameter that is not exploded may come only once', async (t) => {
  const { call } = await serve(t, joined(list('{ type: string }')));
  for (const query of ['value=a&value=b', 'value=a&v%61lue=b', 'value=a&value=b&value=c']) {
    const { status, text } = await call('GET', `/look?${query}`);
    t.equal(status, 400, query);
    t.equal(text, 'query/value must not come more than once.', query);
  }
});

t.test('an array parameter with broken percent-encoding is a 400', async (t) => {
  for (const [yaml, ...queries] of [
    [exploded(list('{ type: string }')), 'value=a&value=%C3'],
    [joined(list('{ type: string }'))],
  ] as const) {
    const { call, exchange } = await serve(t, yaml);
    for (const query of ['value=a,%FF', 'value=%', 'v%61lue=%ZZ', ...queries]) {
      const { status, text } = await call('GET', `/look?${query}`);
      t.equal(status, 400, query);
      t.equal(text, 'The query has a broken percent-encoding.', query);
    }
    // Fastify takes what follows "#" for the query, though no client sends a fragment.
    t.match(
      await exchange('GET /look#value=%FF HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 400/,
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
  for (const [parameter, fault] of [
    [`{ name: value, in: query, schema: ${list('{ type: object }')} }`, 'a parameter of type "object"'],
    [
      `{ name: value, in: query, schema: ${list(list('{ type: string }'))} }`,
      'a parameter of type "array" is not supported: use a string, an integer, a number, a boolean, or in the query an array of those.',
    ],
    [`{ name: value, in: header, schema: ${list('{ type: string }')} }`, 'a parameter of type "array"'],
    [`{ name: value, in: cookie, schema: ${list('{ type: string }')} }`, 'a parameter of type "array"'],
    [
      `{ name: value, in: query, style: pipeDelimited, schema: ${list('{ type: string }')} }`,
      'the parameter value needs a "schema", no "allowEmptyValue", and in the query no "style" but "form".',
    ],
  ] as const) {
    const start = contractOf(t, documentOfParameters(parameter)).then((contract) => routed(contract, {}));
    t.match(await faultOf(t, start), fault, parameter);
  }
});
