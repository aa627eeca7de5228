import type { KeywordDefinition, SchemaObject } from 'ajv';

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
  /** Digits that no double holds (document.ts). */
  readonly 'x-exact-minimum'?: string;
  readonly 'x-exact-maximum'?: string;
  readonly 'x-exact-multipleOf'?: string;
  readonly 'x-exact-enum'?: readonly string[];
}

/** OpenAPI 3.0.3, "Data Types". */
const integerRanges: ReadonlyMap<string | undefined, readonly [bigint, bigint]> = new Map([
  ['int32', [-(2n ** 31n), 2n ** 31n - 1n]],
  ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
]);

/** Inclusive bounds, as text because Ajv cannot serialise a bigint. */
interface IntegerRule {
  readonly minimum: string;
  readonly maximum: string;
  readonly multipleOf: string;
  readonly enum?: readonly string[];
  readonly nullable: boolean;
}

/** Ajv's `integer` and `number` refuse a bigint. */
const exactInteger: KeywordDefinition = {
  keyword: 'exactInteger',
  schemaType: 'object',
  compile(rule: IntegerRule) {
    const [least, most] = [BigInt(rule.minimum), BigInt(rule.maximum)];
    const divisor = BigInt(rule.multipleOf);
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
  const multiple = multipleOf === '1' ? '' : ` that is a multiple of ${multipleOf}`;
  return `must be an integer from ${minimum} to ${maximum}${multiple}`;
}

const decimal: KeywordDefinition = {
  keyword: 'decimal',
  schemaType: 'object',
  compile(schema: NumericSchema) {
    const least = exactBound(schema, 'minimum') ?? -Infinity;
    const most = exactBound(schema, 'maximum') ?? Infinity;
    return (value: unknown) =>
      // No double holds 1e400.
      typeof value === 'bigint' || typeof value === 'number'
        ? Number.isFinite(Number(value)) &&
          // JavaScript compares a bigint with a number exactly.
          (schema.exclusiveMinimum ? value > least : value >= least) &&
          (schema.exclusiveMaximum ? value < most : value <= most)
        : value === null && schema.nullable === true;
  },
  error: { message: 'must be a number within its bounds' },
};

export const numericKeywords = [exactInteger, decimal];

const checkedHere: ReadonlySet<string> = new Set([
  'type',
  'format',
  'nullable',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
]);

/** @throws {Error} if a format or keyword is not supported */
export function toNumericKeyword(
  schema: NumericSchema,
): { rule: SchemaObject; checks(keyword: string): boolean } | undefined {
  const checks = (keyword: string) => checkedHere.has(keyword);
  if (schema.type === 'integer') return { rule: { exactInteger: integerRule(schema) }, checks };
  if (schema.type !== 'number') return undefined;
  if (schema.multipleOf !== undefined || schema.enum !== undefined) {
    throw new Error('"multipleOf" and "enum" are not checked on "type: number": use an integer or a string');
  }
  if (schema.format !== undefined && schema.format !== 'float' && schema.format !== 'double') {
    throw new Error(`a number has no format "${schema.format}"`);
  }
  return { rule: { decimal: schema }, checks };
}

function integerRule(schema: NumericSchema): IntegerRule {
  const range = integerRanges.get(schema.format);
  if (range === undefined) throw new Error('an integer needs the format int32 or int64');
  const [minimum, maximum] = [exactBound(schema, 'minimum'), exactBound(schema, 'maximum')];
  const least = minimum === undefined ? range[0] : leastInteger(minimum, schema.exclusiveMinimum);
  const most = maximum === undefined ? range[1] : -leastInteger(-maximum, schema.exclusiveMaximum);
  const divisor = schema['x-exact-multipleOf'] ?? schema.multipleOf ?? 1;
  if (!Number.isInteger(Number(divisor))) {
    throw new Error(`the "multipleOf" of an integer must be an integer, not ${divisor}`);
  }
  const values = schema.enum?.filter((value) => value !== null);
  if (values?.some((value) => !Number.isInteger(value))) {
    throw new Error('the "enum" of an integer must list integers');
  }
  return {
    minimum: String(largest(range[0], least)),
    maximum: String(smallest(range[1], most)),
    multipleOf: String(BigInt(divisor)),
    // An enum must list null to allow it (OpenAPI 3.0.3, "nullable", as clarified).
    nullable: schema.nullable === true && schema.enum?.includes(null) !== false,
    ...(values && {
      enum: (schema['x-exact-enum'] ?? values).map(String).filter((value) => value !== 'null'),
    }),
  };
}

/** The least integer within a minimum, which may have a fraction. */
function leastInteger(minimum: bigint | number, isExclusive = false): bigint {
  if (typeof minimum === 'number' && !Number.isInteger(minimum)) return BigInt(Math.ceil(minimum));
  return BigInt(minimum) + (isExclusive ? 1n : 0n);
}

function exactBound(schema: NumericSchema, bound: 'minimum' | 'maximum'): bigint | number | undefined {
  const digits = schema[`x-exact-${bound}`];
  return digits === undefined ? schema[bound] : BigInt(digits);
}

const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smallest = (a: bigint, b: bigint): bigint => (a < b ? a : b);
