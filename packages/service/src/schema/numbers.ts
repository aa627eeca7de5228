/**
 * Checks numbers to the last digit.
 *
 * json.ts reads integers as bigints. Ajv's own `type: integer` refuses a bigint, and its `minimum` would
 * compare with a double. With `maximum: 9223372036854775806`, which no double holds, an id that is too large
 * by 1 would pass. So schema.ts gives Ajv a keyword of this file instead of the numeric ones:
 *
 * 1. `type: integer` becomes `exactInteger`. Its rule has the range of the format and the bounds of the
 *    schema, whichever is narrower, as inclusive integers. They are texts, because Ajv writes schemas into
 *    its code and has no bigints there.
 * 2. `type: number` becomes `decimal`, which takes bigints and numbers. JavaScript compares one with the
 *    other exactly.
 *
 * For example, `{ type: integer, format: int32, exclusiveMinimum: 0n }` becomes the range from 1 to 2147483647.
 * The value 0n is refused with "must be an integer from 1 to 2147483647".
 *
 * The cost: an integer must have the format int32 or int64, and `type: number` can have neither `multipleOf`
 * nor `enum`. A document that asks for more is refused by `npm run codegen`, and not checked less.
 */
import type { KeywordDefinition, SchemaObject } from 'ajv';

/** The keywords of a schema that say something of numbers. Integers are bigints. */
export interface NumericSchema {
  /** A type, or a list of types. */
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly minimum?: bigint | number;
  readonly maximum?: bigint | number;
  readonly exclusiveMinimum?: bigint | number;
  readonly exclusiveMaximum?: bigint | number;
  readonly multipleOf?: bigint | number;
  readonly enum?: readonly unknown[];
}

/** @returns the types of a schema; none if it does not name one */
export function typesOf({ type = [] }: Pick<NumericSchema, 'type'>): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

/** The range of each format of an integer (OpenAPI 3.0.3, "Data Types"), both ends included. */
const integerRanges: ReadonlyMap<string | undefined, readonly [bigint, bigint]> = new Map([
  ['int32', [-(2n ** 31n), 2n ** 31n - 1n]],
  ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
]);

/**
 * What an integer must fit. Both bounds are inclusive, and every number is a text, because Ajv cannot
 * serialise a bigint.
 */
interface IntegerRule {
  readonly minimum: string;
  readonly maximum: string;
  readonly multipleOf: string;
  readonly enum?: readonly string[];
  readonly nullable: boolean;
}

const exactInteger: KeywordDefinition = {
  keyword: 'exactInteger',
  schemaType: 'object',
  compile(rule: IntegerRule) {
    const [minimum, maximum] = [BigInt(rule.minimum), BigInt(rule.maximum)];
    const divisor = BigInt(rule.multipleOf);
    const values = rule.enum && new Set(rule.enum.map(BigInt));
    return (value: unknown) =>
      typeof value === 'bigint'
        ? value >= minimum && value <= maximum && value % divisor === 0n && values?.has(value) !== false
        : value === null && rule.nullable;
  },
  error: { message: ({ schema }) => integerMessage(schema) },
};

function integerMessage({ minimum, maximum, multipleOf, enum: values }: IntegerRule): string {
  if (values) return `must be one of the integers ${values.join(', ')}`;
  const multiple = multipleOf === '1' ? '' : ` that is a multiple of ${multipleOf}`;
  return `must be an integer from ${minimum} to ${maximum}${multiple}`;
}

/** What a number must fit. Every bound is a text, because Ajv cannot serialise a bigint. */
interface DecimalRule {
  readonly minimum?: string;
  readonly maximum?: string;
  readonly exclusiveMinimum?: string;
  readonly exclusiveMaximum?: string;
  readonly nullable: boolean;
}

const decimal: KeywordDefinition = {
  keyword: 'decimal',
  schemaType: 'object',
  compile(rule: DecimalRule) {
    const minimum = boundOf(rule.minimum) ?? -Infinity;
    const maximum = boundOf(rule.maximum) ?? Infinity;
    const above = boundOf(rule.exclusiveMinimum) ?? -Infinity;
    const below = boundOf(rule.exclusiveMaximum) ?? Infinity;
    return (value: unknown) =>
      // No double holds 1e400, which json.ts reads as Infinity.
      typeof value === 'bigint' || typeof value === 'number'
        ? Number.isFinite(Number(value)) &&
          // JavaScript compares a bigint with a number exactly.
          value >= minimum &&
          value <= maximum &&
          value > above &&
          value < below
        : value === null && rule.nullable;
  },
  error: { message: 'must be a number within its bounds' },
};

/** Reads a bound that was written as a text. */
function boundOf(text: string | undefined): bigint | number | undefined {
  if (text === undefined) return undefined;
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}

/** The keywords by which Ajv checks numbers. */
export const numericKeywords = [exactInteger, decimal];

/**
 * Says of which type a value is that a numeric keyword has refused. The keyword's message tells only a range,
 * which misleads the sender of the text "7".
 *
 * @returns the end of a sentence, such as "is a text"; undefined if the value breaks nothing but the range,
 * or another keyword has refused it
 */
export function notANumber(keyword: string, value: unknown): string | undefined {
  if (keyword === exactInteger.keyword && Number.isFinite(value)) {
    return Number.isInteger(value) ? 'is written with a fraction or an exponent' : 'has a fraction';
  }
  const isNumeric = keyword === exactInteger.keyword || keyword === decimal.keyword;
  if (!isNumeric || typeof value === 'bigint' || typeof value === 'number') return undefined;
  if (value === null) return 'is null';
  if (typeof value === 'string') return 'is a text';
  if (typeof value === 'boolean') return 'is a boolean';
  return Array.isArray(value) ? 'is an array' : 'is an object';
}

const checkedHere: ReadonlySet<string> = new Set([
  'type',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
]);

/**
 * Translates the numeric keywords of a schema.
 *
 * @returns the keyword for Ajv, and which keywords of the schema it covers; undefined if the schema is not
 * numeric
 * @throws {Error} if a format or a keyword is not supported
 */
export function toNumericKeyword(
  schema: NumericSchema,
): { rule: SchemaObject; checks(keyword: string): boolean } | undefined {
  const checks = (keyword: string) => checkedHere.has(keyword);
  const types = typesOf(schema);
  const isNullable = types.includes('null');
  if (types.includes('integer')) return { rule: { exactInteger: integerRule(schema, isNullable) }, checks };
  if (!types.includes('number')) return undefined;
  if (schema.multipleOf !== undefined || schema.enum !== undefined) {
    throw new Error('"multipleOf" and "enum" are not checked on "type: number": use an integer or a string');
  }
  if (schema.format !== undefined && schema.format !== 'float' && schema.format !== 'double') {
    throw new Error(`a number has no format "${schema.format}"`);
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const bounds = Object.entries({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }).flatMap(
    ([name, bound]) => (bound === undefined ? [] : [[name, String(bound)]]),
  );
  return { rule: { decimal: { ...Object.fromEntries(bounds), nullable: isNullable } }, checks };
}

/** @throws {Error} if the format is missing, or "multipleOf" or "enum" has something else than integers */
function integerRule(schema: NumericSchema, isNullable: boolean): IntegerRule {
  const range = integerRanges.get(schema.format);
  if (range === undefined) throw new Error('an integer needs the format int32 or int64');
  const [lowest, highest] = range;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1n } = schema;
  const lower = [
    ...(minimum === undefined ? [] : [smallestInteger(minimum, false)]),
    ...(exclusiveMinimum === undefined ? [] : [smallestInteger(exclusiveMinimum, true)]),
  ];
  // The largest integer below a maximum is found as the smallest one above its negative.
  const upper = [
    ...(maximum === undefined ? [] : [-smallestInteger(-maximum, false)]),
    ...(exclusiveMaximum === undefined ? [] : [-smallestInteger(-exclusiveMaximum, true)]),
  ];
  if (!isInteger(multipleOf)) {
    throw new Error(`the "multipleOf" of an integer must be an integer, not ${multipleOf}`);
  }
  const values = schema.enum?.filter((value) => value !== null);
  if (values !== undefined && !values.every(isInteger)) {
    throw new Error('the "enum" of an integer must list integers');
  }
  return {
    minimum: String(lower.reduce(largerOf, lowest)),
    maximum: String(upper.reduce(smallerOf, highest)),
    multipleOf: String(BigInt(multipleOf)),
    // An enum must list null to allow it.
    nullable: isNullable && schema.enum?.includes(null) !== false,
    ...(values && { enum: values.map((value) => String(BigInt(value))) }),
  };
}

const numericFormats: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double']);

/** Whether a format says something of numbers, and nothing of texts (OpenAPI 3.0.3, "Data Types"). */
export function isNumericFormat(format: string): boolean {
  return numericFormats.has(format);
}

function isInteger(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** @returns the smallest integer within a minimum, which may have a fraction */
function smallestInteger(minimum: bigint | number, isExclusive: boolean): bigint {
  if (typeof minimum === 'number' && !Number.isInteger(minimum)) return BigInt(Math.ceil(minimum));
  return BigInt(minimum) + (isExclusive ? 1n : 0n);
}

const largerOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smallerOf = (a: bigint, b: bigint): bigint => (a < b ? a : b);
