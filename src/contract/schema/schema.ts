import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { distinctItems } from './distinct-items.js';
import { stringFormats } from './formats.js';
import { type NumericSchema, numericKeywords, toNumericKeyword } from './numbers.js';

/** OpenAPI 3.0, with references resolved. */
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

/** These keywords check nothing. */
const annotations = new Set([
  'description',
  'title',
  'example',
  'externalDocs',
  'deprecated',
  'discriminator',
  'xml',
  'readOnly',
  'writeOnly',
]);

type Direction = 'request' | 'response';

/** Ajv accepts these, with another meaning or none. */
const refusedAlways = [
  ['$ref', 'a schema that contains itself, or stands in another document, is not supported'],
  ['default', '"default" is not supported here: nothing takes the place of what is absent'],
] as const;
const refused: Readonly<Record<Direction, ReadonlyMap<string, string>>> = {
  request: new Map([
    ...refusedAlways,
    ['readOnly', '"readOnly" is not supported in a request: leave the member out of its schema'],
  ]),
  response: new Map([
    ...refusedAlways,
    ['writeOnly', '"writeOnly" is not supported in a response: leave the member out of its schema'],
  ]),
};

/** An unknown keyword or format must end the start. */
const ajv = new Ajv({
  strict: true,
  strictRequired: false,
  ownProperties: true,
  keywords: [...numericKeywords, distinctItems],
  // OpenAPI's own schema has checked it.
  validateSchema: false,
});
for (const [name, check] of stringFormats) ajv.addFormat(name, check);

export interface Misfit {
  /** A JSON pointer. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * Checks values as `parseJson` reads them.
 *
 * @throws {Error} if a keyword, type or format would go unchecked
 */
export function compileSchema(
  schema: ContractSchema,
  direction: Direction = 'request',
): (value: unknown) => Misfit | undefined {
  const validate = ajv.compile(toAjvSchema(schema, direction));
  return (value) => {
    if (validate(value)) return undefined;
    // Ajv reports at least one error.
    const [error] = validate.errors as [ErrorObject];
    return { pointer: error.instancePath, message: messageFor(error) };
  };
}

/** Ajv does not name the values of an enum. */
function messageFor({ keyword, params, message }: ErrorObject): string {
  if (keyword !== 'enum') return String(message);
  const values = [params['allowedValues']].flat().map((value) => JSON.stringify(value));
  return `must be one of ${values.join(', ')}`;
}

function toAjvSchema(schema: ContractSchema, direction: Direction): SchemaObject {
  for (const keyword of Object.keys(schema)) {
    const reason = refused[direction].get(keyword);
    if (reason !== undefined) throw new Error(reason);
  }
  const numeric = toNumericKeyword(schema);
  if (numeric === undefined && schema.enum?.some((value) => !isPlain(value))) {
    throw new Error('an "enum" may list numbers only beside "type: integer", and no arrays or objects');
  }
  const { required } = schema;
  // Ajv would not miss it: its code takes the missing name "" for false.
  if (Array.isArray(required) && required.includes('')) {
    throw new Error('"required" cannot list a member whose name is empty');
  }
  const keywords = Object.entries(schema).filter(
    ([keyword]) => !annotations.has(keyword) && !keyword.startsWith('x-') && !numeric?.checks(keyword),
  );
  const { uniqueItems, ...others } = Object.fromEntries(keywords);
  return {
    ...numeric?.rule,
    ...others,
    ...(uniqueItems === true && { distinctItems: true }),
    ...subschemasOf(schema, direction),
  };
}

/** Ajv cannot compare a bigint with a number. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

function subschemasOf(schema: ContractSchema, direction: Direction): SchemaObject {
  const convert = (part: ContractSchema) => toAjvSchema(part, direction);
  const { properties, additionalProperties, items, allOf, anyOf, oneOf, not } = schema;
  return {
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, convert(property)]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: convert(additionalProperties),
    }),
    ...(items && { items: convert(items) }),
    ...(allOf && { allOf: allOf.map(convert) }),
    ...(anyOf && { anyOf: anyOf.map(convert) }),
    ...(oneOf && { oneOf: oneOf.map(convert) }),
    ...(not && { not: convert(not) }),
  };
}

export function withAllOf(schema: ContractSchema): ContractSchema[] {
  return [schema, ...(schema.allOf ?? []).flatMap(withAllOf)];
}

export function partsOf(schema: ContractSchema): ContractSchema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [schema, ...[...allOf, ...anyOf, ...oneOf].flatMap(partsOf)];
}

/** A member may be called `toString`. */
export function ownSchema({ properties = {} }: ContractSchema, name: string): ContractSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
