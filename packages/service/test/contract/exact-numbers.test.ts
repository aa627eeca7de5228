import fc from 'fast-check';
import t from 'tap';
import { documentOf, documentOfBody, serve } from '../support/contract/contract.js';
import { accepts, checkBodies, inBody, inQuery, refuses } from '../support/contract/requests.js';

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };
const int32 = { least: -(2n ** 31n), most: 2n ** 31n - 1n };

t.test('int64 and int32 in a body are accepted up to their bounds, and refused beyond', async (t) => {
  const others = ['1.0', '1e3', '"1"', 'true', 'null', '[1]', '1e300', `${10n ** 99n}`];
  const bodiesOf = ({ least, most }: { least: bigint; most: bigint }) => ({
    fit: [`${least}`, `${most}`, '0', '-0', '-1'],
    unfit: [`${least - 1n}`, `${most + 1n}`, ...others],
  });
  await checkBodies(t, {
    '{ type: integer, format: int64 }': bodiesOf(int64),
    '{ type: integer, format: int32 }': bodiesOf(int32),
  });
});

t.test('int64 and int32 in parameters are accepted up to their bounds, and refused beyond', async (t) => {
  for (const [format, { least, most }] of Object.entries({ int64, int32 })) {
    await t.test(format, async (t) => {
      const schema = `{ type: integer, format: ${format} }`;
      const read = (value: bigint) => (format === 'int64' ? value : Number(value));
      const fault = `query/value must be an integer from ${least} to ${most}.`;
      await accepts(t, inQuery, {
        [schema]: [least, most].map((value) => [`?value=${value}`, read(value)]),
      });
      await refuses(t, inQuery, {
        [schema]: [least - 1n, most + 1n].map((value) => [`?value=${value}`, fault]),
      });
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
  await checkBodies(t, {
    [integer('minimum: 3, maximum: 5')]: { fit: ['3', '5'], unfit: ['2', '6'] },
    [integer('minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true')]: {
      fit: ['4'],
      unfit: ['3', '5'],
    },
    [integer('exclusiveMinimum: true, exclusiveMaximum: true')]: {
      fit: [`${int64.least}`, `${int64.most}`],
      unfit: [],
    },
    // Beyond 2^53, doubles lie 2 apart, or 1,024 apart near 2^63.
    [integer('maximum: 9223372036854775806')]: {
      fit: ['9223372036854775806'],
      unfit: ['9223372036854775807'],
    },
    [integer('minimum: -9223372036854775807')]: {
      fit: ['-9223372036854775807'],
      unfit: ['-9223372036854775808'],
    },
    [integer('minimum: 9007199254740993')]: { fit: ['9007199254740993'], unfit: ['9007199254740992'] },
    [integer('maximum: 9007199254740993, exclusiveMaximum: true')]: {
      fit: ['9007199254740992'],
      unfit: ['9007199254740993', '9007199254740994'],
    },
    // Bounds wider than the format do not widen it.
    [integer('minimum: -99999999999999999999, maximum: 99999999999999999999')]: {
      fit: [`${int64.most}`],
      unfit: [`${int64.most + 1n}`, `${int64.least - 1n}`],
    },
    '{ type: integer, format: int32, maximum: 9007199254740993 }': {
      fit: ['2147483647'],
      unfit: ['2147483648'],
    },
    [integer('multipleOf: 10')]: {
      fit: ['0', '-10', '9223372036854775800'],
      unfit: ['1', '9223372036854775801'],
    },
    [integer('multipleOf: 9007199254740993')]: { fit: ['9007199254740993'], unfit: ['9007199254740992'] },
    [integer('enum: [1, 9007199254740993]')]: {
      fit: ['1', '9007199254740993'],
      unfit: ['0', '9007199254740992', '9007199254740994'],
    },
    '{ type: integer, format: int32, enum: [-1, 0x10] }': { fit: ['-1', '16'], unfit: ['1', '"-1"', 'null'] },
    '{ type: integer, format: int32, minimum: -0.5, maximum: 2.5 }': {
      fit: ['0', '1', '2'],
      unfit: ['-1', '3', '0.5'],
    },
    '{ type: integer, format: int32, minimum: 0.5, maximum: 1.5, exclusiveMinimum: true, exclusiveMaximum: true }':
      { fit: ['1'], unfit: ['0', '2'] },
    '{ type: number, minimum: 0.5, maximum: 2 }': {
      fit: ['0.5', '1', '2', '2.0', '5e-1'],
      unfit: ['0', '3', '2.1', '0.49'],
    },
    '{ type: number, minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }': {
      fit: ['0.1', '1e-300'],
      unfit: ['0', '0.0', '1', '1.0'],
    },
    '{ type: number, maximum: 9007199254740993 }': { fit: ['9007199254740993'], unfit: ['9007199254740994'] },
  });
});

t.test('bounds keep their digits if the YAML names them by an anchor', async (t) => {
  const long = (rest: string) => `{ type: integer, format: int64, ${rest} }`;
  await checkBodies(t, {
    [long('maximum: &most 9007199254740993')]: { fit: ['9007199254740993'], unfit: ['9007199254740994'] },
    [long('maximum: *most')]: { fit: ['9007199254740993'], unfit: ['9007199254740994'] },
    [long('enum: [*most]')]: { fit: ['9007199254740993'], unfit: ['9007199254740992'] },
  });
});

t.test('null fits a nullable schema, whose enum must list null', async (t) => {
  await checkBodies(t, {
    '{ type: integer, format: int64, nullable: true }': { fit: ['null', '1'], unfit: ['"null"'] },
    '{ type: integer, format: int32, nullable: true, minimum: 1 }': { fit: ['null', '1'], unfit: ['0'] },
    '{ type: number, nullable: true }': { fit: ['null', '1.5'], unfit: ['"1.5"'] },
    '{ type: number }': { fit: ['1'], unfit: ['null', 'true', '[]'] },
    '{ type: integer, format: int64, nullable: true, enum: [7, null] }': { fit: ['null', '7'], unfit: ['0'] },
    '{ type: integer, format: int64, nullable: true, enum: [9007199254740993, null] }': {
      fit: ['null', '9007199254740993'],
      unfit: ['0'],
    },
    '{ type: integer, format: int64, nullable: true, enum: [7] }': { fit: ['7'], unfit: ['null', '0'] },
    '{ type: integer, format: int64, enum: [7, null] }': { fit: ['7'], unfit: ['null', '0'] },
  });
});

t.test('the message about a number says what must hold', async (t) => {
  const arrayOf = (schema: string) => `{ type: array, items: ${schema} }`;
  await refuses(t, inBody, {
    [arrayOf('{ type: integer, format: int32, minimum: 1 }')]: [
      ['["x"]', 'body/0 must be an integer from 1 to 2147483647, and is a text.'],
    ],
    [arrayOf('{ type: integer, format: int32, enum: [1, 2] }')]: [
      ['["x"]', 'body/0 must be one of the integers 1, 2, and is a text.'],
    ],
    [arrayOf('{ type: integer, format: int32, minimum: 0, multipleOf: 5 }')]: [
      ['["x"]', 'body/0 must be an integer from 0 to 2147483647 that is a multiple of 5, and is a text.'],
    ],
    [arrayOf('{ type: number }')]: [['["x"]', 'body/0 must be a number within its bounds, and is a text.']],
  });
});

t.test('the message about a value that is not a number says what it is', async (t) => {
  const must = 'body must be an integer from 1 to 2147483647';
  await refuses(t, inBody, {
    '{ type: integer, format: int32, minimum: 1 }': [
      ['"7"', `${must}, and is a text.`],
      ['true', `${must}, and is a boolean.`],
      ['null', `${must}, and is null.`],
      ['{}', `${must}, and is an object.`],
      ['[7]', `${must}, and is an array.`],
      ['7.5', `${must}, and has a fraction.`],
      ['7.0', `${must}, and is written with a fraction or an exponent.`],
      ['0', `${must}.`],
    ],
  });
});

t.test('a number beyond the range of doubles is refused, by an exponent or by all its digits', async (t) => {
  const [most, more] = [10n ** 308n, 10n ** 309n];
  await checkBodies(t, {
    '{ type: number }': {
      fit: ['1e308', `${most}`, `-${most}`],
      unfit: ['1e309', '-1e309', `${more}`, `-${more}`],
    },
  });
});

t.test('keywords beside a numeric type are checked, too', async (t) => {
  const even = '{ type: integer, format: int64, multipleOf: 2 }';
  const four = '{ type: integer, format: int64, enum: [4] }';
  await checkBodies(t, {
    [`{ type: integer, format: int64, allOf: [${even}], not: ${four} }`]: {
      fit: ['2', '6'],
      unfit: ['3', '4'],
    },
  });
});

t.test('handlers get int32 and number as numbers, and int64 as bigint, at any depth', async (t) => {
  const int = '{ type: integer, format: int32 }';
  const long = '{ type: integer, format: int64 }';
  const number = '{ type: number }';
  const object = (members: string, rest = '') => `{ type: object, properties: { ${members} }${rest} }`;
  await accepts(t, inBody, {
    [int]: [['7', 7]],
    [long]: [['7', 7n]],
    [number]: [
      ['7', 7],
      ['7.5', 7.5],
    ],
    [`{ type: array, items: ${int} }`]: [['[1,2]', [1, 2]]],
    [`{ type: array, items: ${long} }`]: [['[1,2]', [1n, 2n]]],
    [`{ type: array, items: { type: array, items: ${number} } }`]: [['[[1],[2.5,3]]', [[1], [2.5, 3]]]],
    [`{ type: array, nullable: true, items: ${int} }`]: [['null', null]],
    [object(`a: ${int}, b: ${long}, c: ${number}`)]: [['{"a":1,"b":2,"c":3}', { a: 1, b: 2n, c: 3 }]],
    [object(`a: ${object(`b: { type: array, items: ${object(`c: ${int}`)} }`)}`)]: [
      ['{"a":{"b":[{"c":1}]}}', { a: { b: [{ c: 1 }] } }],
    ],
    [object(`a: ${int}`, ', nullable: true')]: [['null', null]],
    [object(`a: { type: integer, format: int32, nullable: true }`)]: [['{"a":null}', { a: null }]],
    [object(`a: ${int}`)]: [['{"other":5}', {}]],
    [object(`a: ${long}`, `, additionalProperties: ${int}`)]: [
      ['{"a":1,"b":2,"c":3}', { a: 1n, b: 2, c: 3 }],
    ],
    [object(`a: ${int}`, `, additionalProperties: ${long}`)]: [['{"a":1,"b":2}', { a: 1, b: 2n }]],
    [object(`a: ${int}`, ', additionalProperties: false')]: [['{"a":1}', { a: 1 }]],
    [`{ type: object, additionalProperties: { type: array, items: ${number} } }`]: [
      ['{"x":[1]}', { x: [1] }],
    ],
    // Two branches that both name `a`, and a third that names it without a type.
    [`{ allOf: [${object(`a: ${int}`)}, ${object(`a: ${int}, b: ${long}`)}, ${object('a: {}')}] }`]: [
      ['{"a":1,"b":2}', { a: 1, b: 2n }],
    ],
    [`{ allOf: [${object(`a: { type: array, items: ${int} }`)}, ${object(`a: { type: array, items: ${int} }`)}] }`]:
      [['{"a":[1]}', { a: [1] }]],
    [object(`a: { allOf: [${int}] }`)]: [['{"a":1}', { a: 1 }]],
    [`{ anyOf: [${long}, { type: string }] }`]: [['1', 1n]],
    [`{ oneOf: [${object(`a: ${long}`, ', required: [a]')}, { type: boolean }] }`]: [['{"a":1}', { a: 1n }]],
    // The first alternative that a value fits says which kind of number it is.
    [`{ anyOf: [{ type: string }, ${int}, ${long}] }`]: [
      ['1', 1],
      ['2147483648', 2147483648n],
    ],
    [`{ type: array, items: { oneOf: [${number}, { type: string }] } }`]: [['[1,"1"]', [1, '1']]],
    [`{ oneOf: [${object(`a: ${int}`, ', required: [a]')}, ${object(`b: ${long}`, ', required: [b]')}] }`]: [
      ['{"b":1}', { b: 1n }],
    ],
    [`{ allOf: [${object(`n: ${int}`)}, { anyOf: [${object(`n: ${int}, m: ${int}`, ', required: [m]')}] }] }`]:
      [['{"n":1,"m":2}', { n: 1, m: 2 }]],
  });
});

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
