import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import ajvFormats from 'ajv-formats';
import { type NumericSchema, numericKeywords, toNumericKeyword } from './numbers.js';

/**
 * A schema of the contract, resolved: OpenAPI 3.0's dialect, and `x-exact-…` beside the bounds that a
 * double cannot hold (see document.ts).
 */
export interface ContractSchema extends NumericSchema {
  readonly properties?: Readonly<Record<string, ContractSchema>>;
  readonly additionalProperties?: boolean | ContractSchema;
  readonly items?: ContractSchema;
  readonly allOf?: readonly ContractSchema[];
  readonly anyOf?: readonly ContractSchema[];
  readonly oneOf?: readonly ContractSchema[];
  readonly not?: ContractSchema;
  readonly [keyword: string]: unknown;
}

/** What speaks to people and generators only. */
const annotations = new Set([
  'description',
  'title',
  'example',
  'externalDocs',
  'deprecated',
  'discriminator',
  'xml',
  'writeOnly',
]);

/** What Ajv would take, and not do what the contract says by it. */
const refused: ReadonlyMap<string, string> = new Map([
  ['$ref', 'a schema that contains itself, or stands in another document, is not supported'],
  ['default', '"default" is not supported: nothing takes the place of what is absent'],
  ['readOnly', '"readOnly" is not supported in a request: leave the member out of its schema'],
]);

/** Strict: a keyword or a format that Ajv does not know ends the start; it is not ignored. */
const ajv = new Ajv({ strict: true, strictRequired: false, ownProperties: true, keywords: numericKeywords });
ajvFormats.default(ajv);

/** Why a value does not fit: where in it, as a JSON pointer, and what must hold there. */
export interface Misfit {
  readonly pointer: string;
  readonly message: string;
}

/**
 * Compiles a schema of the contract into a check of values as `parseJson` reads them.
 *
 * @throws {Error} where the schema has a keyword, a type or a format that would go unchecked
 */
export function compileSchema(schema: ContractSchema): (value: unknown) => Misfit | undefined {
  const validate = ajv.compile(toAjvSchema(schema));
  return (value) => {
    if (validate(value)) return undefined;
    // Ajv says at least one thing about what it refuses, and stops at the first.
    const [{ instancePath, message }] = validate.errors as [ErrorObject];
    return { pointer: instancePath, message: String(message) };
  };
}

function toAjvSchema(schema: ContractSchema): SchemaObject {
  const numeric = toNumericKeyword(schema);
  if (numeric === undefined && schema.enum?.some((value) => !isPlain(value))) {
    throw new Error('an "enum" may list numbers only beside "type: integer", and no arrays or objects');
  }
  const keywords = Object.entries(schema)
    .filter(
      ([keyword]) => !annotations.has(keyword) && !keyword.startsWith('x-') && !numeric?.checks(keyword),
    )
    .map(([keyword, value]) => {
      const reason = refused.get(keyword);
      if (reason !== undefined) throw new Error(reason);
      return [keyword, value];
    });
  return { ...numeric?.rule, ...Object.fromEntries(keywords), ...subschemasOf(schema) };
}

/** What Ajv compares as JSON has it; its numbers are no bigints. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

/** The keywords that hold schemas, with Ajv's in their places. */
function subschemasOf(schema: ContractSchema): SchemaObject {
  const { properties, additionalProperties, items, allOf, anyOf, oneOf, not } = schema;
  return {
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, toAjvSchema(property)]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: toAjvSchema(additionalProperties),
    }),
    ...(items && { items: toAjvSchema(items) }),
    ...(allOf && { allOf: allOf.map(toAjvSchema) }),
    ...(anyOf && { anyOf: anyOf.map(toAjvSchema) }),
    ...(oneOf && { oneOf: oneOf.map(toAjvSchema) }),
    ...(not && { not: toAjvSchema(not) }),
  };
}
