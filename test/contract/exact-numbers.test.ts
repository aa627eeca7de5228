import fc from 'fast-check';
import t, { type Test } from 'tap';
import {
  documentOf,
  documentOfBodies,
  documentOfBody,
  documentOfQuery,
  serve,
} from '../support/contract/contract.js';

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };
const int32 = { least: -(2n ** 31n), most: 2n ** 31n - 1n };

type Case = readonly [schema: string, fit: readonly string[], misfit: readonly string[]];

/** Sends JSON texts to an operation for each schema: the first list must be taken, the second refused. */
async function checkBodies(t: Test, cases: readonly Case[]): Promise<void> {
  const schemas = cases.map(([schema], index) => [`/case${index}`, schema] as const);
  const { call } = await serve(t, documentOfBodies(schemas));
  for (const [index, [schema, fit, misfit]] of cases.entries()) {
    for (const body of [...fit, ...misfit]) {
      const { status } = await call('POST', `/case${index}`, { body });
      t.equal(status, fit.includes(body) ? 204 : 400, `${schema} and ${body}`);
    }
  }
}

t.test('int64 and int32 in a body are accepted up to their bounds, and refused beyond', async (t) => {
  const others = ['1.0', '1e3', '"1"', 'true', 'null', '[1]', '1e300', `${10n ** 99n}`];
  await checkBodies(
    t,
    Object.entries({ int64, int32 }).map(([format, { least, most }]) => [
      `{ type: integer, format: ${format} }`,
      [`${least}`, `${most}`, '0', '-0', '-1'],
      [`${least - 1n}`, `${most + 1n}`, ...others],
    ]),
  );
});

t.test('int64 and int32 in parameters are accepted up to their bounds, and refused beyond', async (t) => {
  for (const [format, { least, most }] of Object.entries({ int64, int32 })) {
    await t.test(format, async (t) => {
      const { call, seen } = await serve(t, documentOfQuery(`{ type: integer, format: ${format} }`));
      for (const value of [least, most]) t.equal((await call('GET', `/look?value=${value}`)).status, 204);
      for (const value of [least - 1n, most + 1n]) {
        const { status, text } = await call('GET', `/look?value=${value}`);
        t.equal(status, 400);
        t.equal(text, `query/value must be an integer from ${least} to ${most}.`);
      }
      const values = seen.map(({ query }) => query);
      t.strictSame(
        values,
        [least, most].map((value) => ({ value: format === 'int64' ? value : Number(value) })),
      );
    });
  }
});

t.test('every int64 reaches the handler as a bigint with all its digits', async (t) => {
  const { call, seen } = await serve(t, documentOfBody('{ type: integer, format: int64 }'));
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: int64.least, max: int64.most }), async (value) => {
      await call('POST', '/echo', { body: `${value}` });
      return seen.at(-1)?.body === value;
    }),
    { numRuns: 50 },
  );
});

t.test('declared bounds of numbers are exact beyond 2^53', async (t) => {
  const integer = (rest: string) => `{ type: integer, format: int64, ${rest} }`;
  await checkBodies(t, [
    [integer('minimum: 3, maximum: 5'), ['3', '5'], ['2', '6']],
    [integer('minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true'), ['4'], ['3', '5']],
    [integer('exclusiveMinimum: true, exclusiveMaximum: true'), [`${int64.least}`, `${int64.most}`], []],
    // Beyond 2^53, doubles lie 2 apart, or 1,024 apart near 2^63.
    [integer('maximum: 9223372036854775806'), ['9223372036854775806'], ['9223372036854775807']],
    [integer('minimum: -9223372036854775807'), ['-9223372036854775807'], ['-9223372036854775808']],
    [integer('minimum: 9007199254740993'), ['9007199254740993'], ['9007199254740992']],
    [
      integer('maximum: 9007199254740993, exclusiveMaximum: true'),
      ['9007199254740992'],
      ['9007199254740993', '9007199254740994'],
    ],
    // Bounds wider than the format do not widen it.
    [
      integer('minimum: -99999999999999999999, maximum: 99999999999999999999'),
      [`${int64.most}`],
      [`${int64.most + 1n}`, `${int64.least - 1n}`],
    ],
    ['{ type: integer, format: int32, maximum: 9007199254740993 }', ['2147483647'], ['2147483648']],
    [integer('multipleOf: 10'), ['0', '-10', '9223372036854775800'], ['1', '9223372036854775801']],
    [integer('multipleOf: 9007199254740993'), ['9007199254740993'], ['9007199254740992']],
    [
      integer('enum: [1, 9007199254740993]'),
      ['1', '9007199254740993'],
      ['0', '9007199254740992', '9007199254740994'],
    ],
    ['{ type: integer, format: int32, enum: [-1, 0x10] }', ['-1', '16'], ['1', '"-1"', 'null']],
    ['{ type: integer, format: int32, minimum: -0.5, maximum: 2.5 }', ['0', '1', '2'], ['-1', '3', '0.5']],
    [
      '{ type: integer, format: int32, minimum: 0.5, maximum: 1.5, exclusiveMinimum: true, exclusiveMaximum: true }',
      ['1'],
      ['0', '2'],
    ],
    [
      '{ type: number, minimum: 0.5, maximum: 2 }',
      ['0.5', '1', '2', '2.0', '5e-1'],
      ['0', '3', '2.1', '0.49'],
    ],
    [
      '{ type: number, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }',
      ['0.1', '1e-300'],
      ['0', '0.0', '1', '1.0'],
    ],
    ['{ type: number, maximum: 9007199254740993 }', ['9007199254740993'], ['9007199254740994']],
  ]);
});

t.test('bounds keep their digits if the YAML names them by an anchor', async (t) => {
  const long = (rest: string) => `{ type: integer, format: int64, ${rest} }`;
  await checkBodies(t, [
    [long('maximum: &most 9007199254740993'), ['9007199254740993'], ['9007199254740994']],
    [long('maximum: *most'), ['9007199254740993'], ['9007199254740994']],
    [long('enum: [*most]'), ['9007199254740993'], ['9007199254740992']],
  ]);
});

t.test('null fits a nullable schema, whose enum must list null', async (t) => {
  await checkBodies(t, [
    ['{ type: integer, format: int64, nullable: true }', ['null', '1'], ['"null"']],
    ['{ type: integer, format: int32, nullable: true, minimum: 1 }', ['null', '1'], ['0']],
    ['{ type: number, nullable: true }', ['null', '1.5'], ['"1.5"']],
    ['{ type: number }', ['1'], ['null', 'true', '[]']],
    ['{ type: integer, format: int64, nullable: true, enum: [7, null] }', ['null', '7'], ['0']],
    [
      '{ type: integer, format: int64, nullable: true, enum: [9007199254740993, null] }',
      ['null', '9007199254740993'],
      ['0'],
    ],
    ['{ type: integer, format: int64, nullable: true, enum: [7] }', ['7'], ['null', '0']],
    ['{ type: integer, format: int64, enum: [7, null] }', ['7'], ['null', '0']],
  ]);
});

t.test('the message about a number says what must hold', async (t) => {
  const cases = [
    ['{ type: integer, format: int32, minimum: 1 }', 'must be an integer from 1 to 2147483647'],
    ['{ type: integer, format: int32, enum: [1, 2] }', 'must be one of the integers 1, 2'],
    [
      '{ type: integer, format: int32, minimum: 0, multipleOf: 5 }',
      'must be an integer from 0 to 2147483647 that is a multiple of 5',
    ],
    ['{ type: number }', 'must be a number within its bounds'],
  ] as const;
  const schemas = cases.map(
    ([schema], index) => [`/case${index}`, `{ type: array, items: ${schema} }`] as const,
  );
  const { call } = await serve(t, documentOfBodies(schemas));
  for (const [index, [, message]] of cases.entries()) {
    const { text } = await call('POST', `/case${index}`, { body: '["x"]' });
    t.equal(text, `body/0 ${message}, and is a text.`);
  }
});

t.test('the message about a value that is not a number says what it is', async (t) => {
  const cases = [
    ['"7"', ', and is a text'],
    ['true', ', and is a boolean'],
    ['null', ', and is null'],
    ['{}', ', and is an object'],
    ['[7]', ', and is an array'],
    ['7.5', ', and has a fraction'],
    ['7.0', ', and is written with a fraction or an exponent'],
    ['0', ''],
  ] as const;
  const { call } = await serve(t, documentOfBody('{ type: integer, format: int32, minimum: 1 }'));
  for (const [body, found] of cases) {
    const { text } = await call('POST', '/echo', { body });
    t.equal(text, `body must be an integer from 1 to 2147483647${found}.`, body);
  }
});

t.test('a number beyond the range of doubles is refused, by an exponent or by all its digits', async (t) => {
  const [most, more] = [10n ** 308n, 10n ** 309n];
  await checkBodies(t, [
    ['{ type: number }', ['1e308', `${most}`, `-${most}`], ['1e309', '-1e309', `${more}`, `-${more}`]],
  ]);
});

t.test('keywords beside a numeric type are checked, too', async (t) => {
  const even = '{ type: integer, format: int64, multipleOf: 2 }';
  const four = '{ type: integer, format: int64, enum: [4] }';
  await checkBodies(t, [
    [`{ type: integer, format: int64, allOf: [${even}], not: ${four} }`, ['2', '6'], ['3', '4']],
  ]);
});

t.test('handlers get int32 and number as numbers, and int64 as bigint, at any depth', async (t) => {
  const [int, long, number] = [
    '{ type: integer, format: int32 }',
    '{ type: integer, format: int64 }',
    '{ type: number }',
  ];
  const object = (members: string, rest = '') => `{ type: object, properties: { ${members} }${rest} }`;
  const cases = [
    [int, '7', 7],
    [long, '7', 7n],
    [number, '7', 7],
    [number, '7.5', 7.5],
    [`{ type: array, items: ${int} }`, '[1,2]', [1, 2]],
    [`{ type: array, items: ${long} }`, '[1,2]', [1n, 2n]],
    [`{ type: array, items: { type: array, items: ${number} } }`, '[[1],[2.5,3]]', [[1], [2.5, 3]]],
    [`{ type: array, nullable: true, items: ${int} }`, 'null', null],
    [object(`a: ${int}, b: ${long}, c: ${number}`), '{"a":1,"b":2,"c":3}', { a: 1, b: 2n, c: 3 }],
    [
      object(`a: ${object(`b: { type: array, items: ${object(`c: ${int}`)} }`)}`),
      '{"a":{"b":[{"c":1}]}}',
      { a: { b: [{ c: 1 }] } },
    ],
    [object(`a: ${int}`, ', nullable: true'), 'null', null],
    [object(`a: { type: integer, format: int32, nullable: true }`), '{"a":null}', { a: null }],
    [object(`a: ${int}`), '{"other":5}', {}],
    [object(`a: ${long}`, `, additionalProperties: ${int}`), '{"a":1,"b":2,"c":3}', { a: 1n, b: 2, c: 3 }],
    [object(`a: ${int}`, `, additionalProperties: ${long}`), '{"a":1,"b":2}', { a: 1, b: 2n }],
    [object(`a: ${int}`, ', additionalProperties: false'), '{"a":1}', { a: 1 }],
    [`{ type: object, additionalProperties: { type: array, items: ${number} } }`, '{"x":[1]}', { x: [1] }],
    // Two branches that both name `a`, and a third that names it without a type.
    [
      `{ allOf: [${object(`a: ${int}`)}, ${object(`a: ${int}, b: ${long}`)}, ${object('a: {}')}] }`,
      '{"a":1,"b":2}',
      { a: 1, b: 2n },
    ],
    [
      `{ allOf: [${object(`a: { type: array, items: ${int} }`)}, ${object(`a: { type: array, items: ${int} }`)}] }`,
      '{"a":[1]}',
      { a: [1] },
    ],
    [object(`a: { allOf: [${int}] }`), '{"a":1}', { a: 1 }],
    [`{ anyOf: [${long}, { type: string }] }`, '1', 1n],
    [`{ oneOf: [${object(`a: ${long}`, ', required: [a]')}, { type: boolean }] }`, '{"a":1}', { a: 1n }],
    // The first alternative that a value fits says which kind of number it is.
    [`{ anyOf: [{ type: string }, ${int}, ${long}] }`, '1', 1],
    [`{ anyOf: [{ type: string }, ${int}, ${long}] }`, '2147483648', 2147483648n],
    [`{ type: array, items: { oneOf: [${number}, { type: string }] } }`, '[1,"1"]', [1, '1']],
    [
      `{ oneOf: [${object(`a: ${int}`, ', required: [a]')}, ${object(`b: ${long}`, ', required: [b]')}] }`,
      '{"b":1}',
      { b: 1n },
    ],
    [
      `{ allOf: [${object(`n: ${int}`)}, { anyOf: [${object(`n: ${int}, m: ${int}`, ', required: [m]')}] }] }`,
      '{"n":1,"m":2}',
      { n: 1, m: 2 },
    ],
  ] as const;
  const { call, seen } = await serve(
    t,
    documentOfBodies(cases.map(([schema], index) => [`/case${index}`, schema])),
  );
  for (const [index, [schema, body, expected]] of cases.entries()) {
    await call('POST', `/case${index}`, { body });
    t.equal(JSON.stringify(seen[index]?.body, bigints), JSON.stringify(expected, bigints), schema);
  }
});

/** Writes bigints with an "n", to tell them from numbers. */
function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

t.test('an int64 is answered with all its digits, in every place of a body', async (t) => {
  const long = '{ type: integer, format: int64 }';
  const value = 9007199254740993n;
  const cases = [
    [long, value, `${value}`],
    [long, int64.least, `${int64.least}`],
    [`{ type: array, items: ${long} }`, [value, int64.most], `[${value},${int64.most}]`],
    [`{ type: object, properties: { id: ${long} } }`, { id: value }, `{"id":${value}}`],
    [`{ type: object, additionalProperties: ${long} }`, { x: value }, `{"x":${value}}`],
    ['{ type: integer, format: int64, nullable: true }', null, 'null'],
    ['{ type: integer, format: int64, nullable: true }', value, `${value}`],
    ['{ type: integer, format: int64, maximum: 9223372036854775807 }', value, `${value}`],
    [
      `{ allOf: [{ type: object, properties: { id: ${long} } }, { type: object, properties: { name: { type: string } } }] }`,
      { id: value, name: 'a' },
      `{"id":${value},"name":"a"}`,
    ],
  ] as const;
  const paths = cases.map(
    ([schema], index) => `
  /case${index}:
    get:
      operationId: case${index}
      responses: { 200: { description: It., content: { application/json: { schema: ${schema} } } } }`,
  );
  const handlers = Object.fromEntries(
    cases.map(([, body], index) => [`case${index}`, async () => ({ status: 200, body })]),
  );
  const { call } = await serve(t, documentOf(paths.join('')), { handlers });
  for (const [index, [schema, , text]] of cases.entries()) {
    t.equal((await call('GET', `/case${index}`)).text, text, schema);
  }
});
