import { Ajv, type SchemaObject } from 'ajv';
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
    const [error] = validate.errors ?? [];
    return { pointer: error?.instancePath ?? '', message: error?.message ?? 'does not fit its schema' };
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
      return [keyword, withAjvSchemas(schema, keyword) ?? value];
    });
  return { ...numeric?.rule, ...Object.fromEntries(keywords) };
}

/** What Ajv compares as JSON has it; its numbers are no bigints. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

/** The value of a keyword that holds schemas, each of them turned into Ajv's; undefined for any other keyword. */
function withAjvSchemas(schema: ContractSchema, keyword: string): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, toAjvSchema(property)]),
      );
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return schema[keyword]?.map(toAjvSchema);
    case 'items':
    case 'not':
    case 'additionalProperties': {
      const subschema = schema[keyword];
      return typeof subschema === 'object' ? toAjvSchema(subschema) : subschema;
    }
    default:
      return undefined;
  }
}
