/**
 * Compares the validator with a second judge, on random schemas and on values as `parseJson` reads them. If
 * they disagree, fast-check prints the seed and the smallest schema and JSON text.
 */
import fc from 'fast-check';
import t from 'tap';
import { exactJson, type JsonObject, type JsonValue, parseJson } from '../../../exact-json/index.js';
import { type ContractSchema, compileSchema, typesOf } from '../../src/schema/schema.js';

// The judge: one rule for each keyword (OpenAPI 3.0.3, "Schema Object"), and no shortcuts.

/** An exact number: numerator / denominator, which is a power of two. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

function exactly(value: bigint | number): Fraction {
  if (typeof value === 'bigint') return { numerator: value, denominator: 1n };
  // To double a double is exact.
  let [numerator, denominator] = [value, 1n];
  for (; !Number.isInteger(numerator); denominator *= 2n) numerator *= 2;
  return { numerator: BigInt(numerator), denominator };
}

/** Negative, zero or positive, as `a - b` is. */
function compare(a: bigint | number, b: bigint | number): bigint {
  const [left, right] = [exactly(a), exactly(b)];
  return left.numerator * right.denominator - right.numerator * left.denominator;
}

function isNumber(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON Schema Wright-00, section 3.6. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (isNumber(a) && isNumber(b)) return compare(a, b) === 0n;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? null));
  }
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && isSame(a[name] ?? null, b[name] ?? null))
    );
  }
  return a === b;
}

function fits(schema: ContractSchema, value: JsonValue): boolean {
  const { allOf = [], anyOf, oneOf, not } = schema;
  const branch = schema.if === undefined ? undefined : fits(schema.if, value) ? schema.then : schema.else;
  const fitsPart = (part: ContractSchema) => fits(part, value);
  return (
    fitsType(schema, value) &&
    fitsEnum(schema, value) &&
    (!isNumber(value) || fitsNumber(schema, value)) &&
    (typeof value !== 'string' || fitsString(schema, value)) &&
    (!Array.isArray(value) || fitsArray(schema, value)) &&
    (!isObject(value) || fitsObject(schema, value)) &&
    allOf.every(fitsPart) &&
    (anyOf === undefined || anyOf.some(fitsPart)) &&
    (oneOf === undefined || oneOf.filter(fitsPart).length === 1) &&
    (not === undefined || !fitsPart(not)) &&
    (branch === undefined || fitsPart(branch))
  );
}

function fitsType(schema: ContractSchema, value: JsonValue): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => isOfType(type, schema.format, value));
}

function isOfType(type: string, format: string | undefined, value: JsonValue): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer': {
      // A number with a fraction or an exponent is no integer, not even 1.0.
      const limit = format === 'int32' ? 2n ** 31n : 2n ** 63n;
      return typeof value === 'bigint' && value >= -limit && value < limit;
    }
    case 'number':
      return isNumber(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function fitsEnum({ enum: allowed }: ContractSchema, value: JsonValue): boolean {
  return allowed === undefined || allowed.some((one) => isSame(one as JsonValue, value));
}

function fitsNumber(schema: ContractSchema, value: bigint | number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return (
    (minimum === undefined || compare(value, minimum) >= 0n) &&
    (maximum === undefined || compare(value, maximum) <= 0n) &&
    (exclusiveMinimum === undefined || compare(value, exclusiveMinimum) > 0n) &&
    (exclusiveMaximum === undefined || compare(value, exclusiveMaximum) < 0n) &&
    (multipleOf === undefined || (typeof value === 'bigint' && value % BigInt(multipleOf) === 0n))
  );
}

function isWithin(count: number, least: unknown = 0, most: unknown = Infinity): boolean {
  return count >= Number(least) && count <= Number(most);
}

function fitsString({ minLength, maxLength, pattern, format }: ContractSchema, value: string): boolean {
  // RFC 8259 calls code points characters.
  return (
    isWithin([...value].length, minLength, maxLength) &&
    (pattern === undefined || new RegExp(String(pattern), 'u').test(value)) &&
    (format !== 'date' || value === aDate)
  );
}

function fitsArray(schema: ContractSchema, value: JsonValue[]): boolean {
  const { minItems, maxItems, uniqueItems, items, prefixItems = [], contains } = schema;
  return (
    isWithin(value.length, minItems, maxItems) &&
    value.every((item, index) => {
      const own = prefixItems[index] ?? items;
      return own === undefined || fits(own, item);
    }) &&
    (contains === undefined || value.some((item) => fits(Object(contains), item))) &&
    (uniqueItems !== true ||
      value.every((item, index) => value.slice(0, index).every((earlier) => !isSame(earlier, item))))
  );
}

function fitsObject(schema: ContractSchema, value: JsonObject): boolean {
  const { properties = {}, patternProperties = {}, additionalProperties = true, required = [] } = schema;
  const dependent = Object.entries(Object(schema['dependentRequired'])).flatMap(([name, needed]) =>
    Object.hasOwn(value, name) ? [needed].flat() : [],
  );
  return (
    isWithin(Object.keys(value).length, schema['minProperties'], schema['maxProperties']) &&
    [required, dependent].flat(2).every((name) => Object.hasOwn(value, String(name))) &&
    Object.entries(value).every(([name, member]) => {
      const named = [
        ...Object.entries(properties).flatMap(([one, part]) => (one === name ? [part] : [])),
        ...Object.entries(patternProperties).flatMap(([pattern, part]) =>
          new RegExp(pattern, 'u').test(name) ? [part] : [],
        ),
      ];
      if (named.length > 0) return named.every((part) => fits(part, member));
      return typeof additionalProperties === 'boolean'
        ? additionalProperties
        : fits(additionalProperties, member);
    })
  );
}

// The values: JSON texts of few names and numbers, so that equal ones meet.

const aDate = '2020-02-29';
const strings = ['', 'a', 'b', 'ab', 'A', 'é', 'e\u0301', '😀', '😀😀', '\n', '1', 'toString', aDate];
const names = ['a', 'b', '', 'é', 'toString', 'constructor', 'hasOwnProperty', 'length', 'valueOf'];
const integers = [
  ...['0', '1', '-1', '2', '6', '7', '2147483647', '2147483648', '-2147483648', '-2147483649'],
  ...['9007199254740992', '9007199254740993', '9223372036854775807', '9223372036854775808'],
  ...['-9223372036854775808', '-9223372036854775809', '10000000000000000000000', '1180591620717411303424'],
];
const decimals = [
  '-0',
  '1.0',
  '-0.0',
  '0.1',
  '0.5',
  '1e0',
  '10e-1',
  '7.0',
  '9007199254740992.0',
  '1e22',
  '5e-324',
];
const numbers = fc.oneof(fc.constantFrom(...integers, ...decimals), fc.constantFrom('1', '1.0'));
const stringTexts = fc.constantFrom(...strings).map((text) => JSON.stringify(text));

const { text: texts } = fc.letrec<{ text: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(fc.constantFrom('null', 'true', 'false'), numbers, stringTexts),
  text: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'text' },
    tie('leaf'),
    fc.array(tie('text'), { maxLength: 3, depthIdentifier: 'text' }).map((items) => `[${items.join()}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...names), tie('text')), {
        maxLength: 3,
        selector: ([name]) => name,
        depthIdentifier: 'text',
      })
      .map((members) => `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`),
  ),
}));

// The schemas: every keyword that the layer supports, in the forms that it does not refuse.

/** Each of these keywords is there or not, and null may fit. */
function some(
  type: string,
  keywords: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<ContractSchema> {
  return fc
    .tuple(fc.record(keywords, { requiredKeys: [] }), fc.boolean())
    .map(([chosen, isNullable]) => ({ ...chosen, type: isNullable ? [type, 'null'] : type }));
}

const least = fc.nat({ max: 2 });
const most = fc.integer({ min: 1, max: 4 });
const flag = fc.boolean();

/** A number as the reader of documents reads it. */
const written = (text: string) => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text));

/** Each of the four bounds is there or not. */
const boundsOf = (texts: readonly string[]) => {
  const bound = fc.constantFrom(...texts).map(written);
  return {
    minimum: bound,
    maximum: bound,
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
  };
};

const integerKeywords = {
  ...boundsOf([...integers, '0.5', '-0.5']),
  multipleOf: fc.constantFrom('1', '2', '7', '9007199254740993').map(written),
};
const integerSchema = fc
  .tuple(
    some('integer', {
      ...integerKeywords,
      enum: fc.uniqueArray(fc.constantFrom(...integers).map(written), { minLength: 1, maxLength: 4 }),
    }),
    fc.constantFrom('int32', 'int64'),
  )
  .map(([schema, format]) => ({ ...schema, format }));

/** Of two types, one of which is numeric. */
const mixedSchema = fc
  .tuple(
    fc.record({ ...integerKeywords, minLength: fc.nat({ max: 2 }) }, { requiredKeys: [] }),
    fc.constantFrom(['integer', 'string'], ['boolean', 'integer', 'null'], ['string', 'integer', 'boolean']),
    fc.option(fc.constantFrom<unknown[]>(['a', 1n, null], [2n, true], ['ab']), { nil: undefined }),
  )
  .map(([keywords, type, values]) => ({
    ...keywords,
    type,
    format: 'int64',
    ...(values && { enum: values }),
  }));

const schemas = fc.letrec<
  Record<'schema' | 'typed' | 'array' | 'object' | 'choice' | 'condition', ContractSchema>
>((tie) => ({
  typed: fc.oneof(
    some('boolean', {}),
    integerSchema,
    mixedSchema,
    some('number', boundsOf([...integers, ...decimals])),
    some('string', {
      minLength: least.map(BigInt),
      maxLength: most.map(BigInt),
      pattern: fc.constantFrom('^.$', '^a|b$', '\\p{L}', '^[^a]*$', '^$', '^\\S+$', '[😀]', '^.{2}$'),
    }),
    some('string', {
      enum: fc.subarray([...strings, null], { minLength: 1 }),
    }),
    fc.constant({ type: 'string', format: 'date' }),
    fc.record({ enum: fc.subarray([...strings, null, true, false], { minLength: 1 }) }),
  ),
  object: some('object', {
    properties: fc.dictionary(fc.constantFrom(...names), tie('schema'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    additionalProperties: fc.oneof(flag, tie('schema')),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'g|b'), tie('schema'), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    dependentRequired: fc.constantFrom({ a: ['b'] }, { é: ['a', 'length'] }),
    required: fc.subarray(names.filter(Boolean), { minLength: 1, maxLength: 2 }),
    minProperties: least,
    maxProperties: most,
  }),
  array: fc
    .tuple(
      some('array', {
        uniqueItems: flag,
        minItems: least.map(BigInt),
        maxItems: most.map(BigInt),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        contains: tie('schema'),
      }),
      tie('schema'),
    )
    .map(([{ contains, ...schema }, items]) => ({
      ...schema,
      items,
      // The layer refuses the two beside each other.
      ...(contains !== undefined && schema.prefixItems === undefined && { contains }),
    })),
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema, and nobody awaits a schema.
  condition: fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
  choice: fc
    .tuple(
      fc.constantFrom('allOf', 'anyOf', 'oneOf'),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    )
    .map(([keyword, parts]) => ({ [keyword]: parts })),
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    tie('typed'),
    tie('array'),
    tie('object'),
    tie('choice'),
    tie('condition'),
    tie('schema').map((not) => ({ not })),
    fc.constant({}),
  ),
})).schema;

/** Texts that often fit, so that the rarer keywords decide. */
function likelyTexts(schema: ContractSchema): fc.Arbitrary<string> {
  const { items, properties = {}, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const [type] = typesOf(schema);
  const parts = [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])];
  if (parts.length > 0) return fc.oneof(...parts.map(likelyTexts));
  if (items !== undefined)
    return fc.array(likelyTexts(items), { maxLength: 4 }).map((texts) => `[${texts.join()}]`);
  if (type === 'integer' || type === 'number') return numbers;
  if (type === 'string') return stringTexts;
  if (type !== 'object') return texts;
  const members = Object.entries(properties).map(([name, property]) =>
    likelyTexts(property).map((text) => `${JSON.stringify(name)}:${text}`),
  );
  return fc.tuple(...members).map((written) => `{${written.join()}}`);
}

const cases = schemas.chain((schema) =>
  fc.tuple(
    fc.constant(schema),
    fc.array(fc.oneof(texts, likelyTexts(schema)), { minLength: 1, maxLength: 40, size: 'max' }),
  ),
);

t.test('the validator agrees with a plain judge of every keyword', async (t) => {
  let [fitting, all] = [0, 0];
  fc.assert(
    fc.property(cases, ([schema, bodies]) => {
      const violationOf = compileSchema(schema);
      for (const body of bodies) {
        const value = parseJson(body, 10);
        const expected = fits(schema, value);
        all++;
        if (expected) fitting++;
        if ((violationOf(value) === undefined) !== expected)
          throw new Error(`${body} ${expected ? 'fits' : 'does not fit'} ${exactJson(schema)}`);
      }
    }),
    { numRuns: 300 },
  );
  t.comment(`${fitting} of ${all} values fit`);
});
