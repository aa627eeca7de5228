import type { KeywordDefinition, SchemaObject } from 'ajv';

/** The numeric part of an OpenAPI 3.0 schema. */
export interface NumericSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
}

/** OpenAPI 3.0.3, "Data Types". */
const integerRanges: ReadonlyMap<string | undefined, readonly [bigint, bigint]> = new Map([
  ['int32', [-(2n ** 31n), 2n ** 31n - 1n]],
  ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
]);

/** Bounds are strings, and both inclusive: Ajv writes schemas as JSON, which has no bigint. */
interface IntegerRule {
  readonly minimum: string;
  readonly maximum: string;
  readonly multipleOf?: number;
  readonly enum?: readonly number[];
  readonly nullable: boolean;
}

/** Takes the place of `type: integer`: Ajv takes an integer for a double, and refuses a bigint. */
const exactInteger: KeywordDefinition = {
  keyword: 'exactInteger',
  schemaType: 'object',
  compile(rule: IntegerRule) {
    const [least, most] = [BigInt(rule.minimum), BigInt(rule.maximum)];
    const divisor = BigInt(rule.multipleOf ?? 1);
    const values = rule.enum && new Set(rule.enum.map(BigInt));
    return (value: unknown) =>
      typeof value === 'bigint'
        ? value >= least && value <= most && value % divisor === 0n && values?.has(value) !== false
        : value === null && rule.nullable;
  },
  error: { message: ({ schema }) => integerMessage(schema) },
};

function integerMessage({ minimum, maximum, multipleOf, enum: values }: IntegerRule): string {
  if (values) return `must be one of the integers ${values.join(', ')}`;
  const multiple = multipleOf === undefined ? '' : ` that is a multiple of ${multipleOf}`;
  return `must be an integer from ${minimum} to ${maximum}${multiple}`;
}

/** Takes the place of `type: number`: an integer of JSON reaches the check as a bigint. */
const decimal: KeywordDefinition = {
  keyword: 'decimal',
  schemaType: 'object',
  compile({
    minimum = -Infinity,
    maximum = Infinity,
    exclusiveMinimum,
    exclusiveMaximum,
    nullable,
  }: NumericSchema) {
    return (value: unknown) =>
      typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))
        ? // JavaScript compares a bigint with a number exactly.
          (exclusiveMinimum ? value > minimum : value >= minimum) &&
          (exclusiveMaximum ? value < maximum : value <= maximum)
        : value === null && nullable === true;
  },
  error: { message: 'must be a number within its bounds' },
};

export const numericKeywords = [exactInteger, decimal];

/**
 * The Ajv schema of a number or an integer; undefined for any other schema.
 *
 * @throws {Error} where an integer has no format that gives it a type, or a keyword would go unchecked
 */
export function toNumericKeyword(schema: NumericSchema): SchemaObject | undefined {
  if (schema.type === 'integer') return { exactInteger: integerRule(schema) };
  if (schema.type !== 'number') return undefined;
  if (schema.multipleOf !== undefined || schema.enum !== undefined) {
    throw new Error('"multipleOf" and "enum" are not checked on "type: number": use an integer or a string');
  }
  return { decimal: schema };
}

function integerRule(schema: NumericSchema): IntegerRule {
  const range = integerRanges.get(schema.format);
  if (range === undefined) throw new Error('an integer needs the format int32 or int64');
  const least = exactBound(schema, 'minimum') ?? range[0];
  const most = exactBound(schema, 'maximum') ?? range[1];
  return {
    minimum: String(largest(range[0], schema.exclusiveMinimum ? least + 1n : least)),
    maximum: String(smallest(range[1], schema.exclusiveMaximum ? most - 1n : most)),
    nullable: schema.nullable ?? false,
    ...(schema.multipleOf !== undefined && { multipleOf: schema.multipleOf }),
    ...(schema.enum !== undefined && { enum: schema.enum.map(Number) }),
  };
}

/** A bound as the YAML has it, to the last digit. */
function exactBound(schema: NumericSchema, bound: 'minimum' | 'maximum'): bigint | undefined {
  const exact =
    Object.entries(schema).find(([keyword]) => keyword === `x-exact-${bound}`)?.[1] ?? schema[bound];
  return exact === undefined ? undefined : BigInt(exact);
}

const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smallest = (a: bigint, b: bigint): bigint => (a < b ? a : b);
