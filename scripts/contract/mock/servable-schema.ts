/**
 * Makes schemas that the service's own layer can serve. That layer refuses a document with a keyword that it
 * does not check, such as an unknown format. The mock serves a copy without such keywords, and so accepts
 * values that the document may refuse.
 */
import type { OpenAPIV3 } from 'openapi-types';
import { stringFormats } from '../../../src/contract/schema/formats.js';

export type Schema = OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject;
export type Direction = 'request' | 'response';

/** A package of the glue takes members of these names for the keywords of JSON Schema. */
export const keywordNames: readonly string[] = ['$id', '$ref'];

/** The layer checks these keywords, by type. */
const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'format'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
};
/** The layer checks these for every type, or they are words for people. */
const always = [
  'type',
  'nullable',
  'enum',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'description',
  'title',
  'example',
];

/** @returns the schema with the keywords that the layer checks, and with as much of its meaning as they leave */
export function servableSchema(schema: Schema, direction: Direction): Schema {
  // The parser leaves only references that lead in a circle.
  if ('$ref' in schema) return {};
  const type = typeOf(schema);
  const known = [...always, ...(type === undefined ? [] : (keywordsOf[type] ?? []))];
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([key]) => known.includes(key) || /^x-exact-m/.test(key)),
  );
  const below = (part: Schema): Schema => servableSchema(part, direction);
  const { nullable, enum: values, ...others }: OpenAPIV3.SchemaObject = kept;
  return withoutUndefined({
    ...others,
    ...(type !== undefined && { type }),
    ...(type !== undefined && nullable === true && { nullable }),
    ...enumOf(type, values),
    ...formatOf(type, schema),
    ...(type === 'object' && objectOf(schema, direction)),
    ...(type === 'array' && { items: below(itemsOf(schema) ?? {}) }),
    ...(schema.allOf && { allOf: schema.allOf.map(below) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(below) }),
    ...(schema.oneOf && { oneOf: schema.oneOf.map(below) }),
    ...(schema.not && { not: below(schema.not) }),
  });
}

/** A keyword whose value is undefined is still a keyword to a validator. */
function withoutUndefined(schema: object): OpenAPIV3.SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function typeOf(schema: OpenAPIV3.SchemaObject): string | undefined {
  if (schema.type !== undefined) return schema.type;
  if (schema.properties ?? schema.required) return 'object';
  return itemsOf(schema) === undefined ? undefined : 'array';
}

function itemsOf(schema: OpenAPIV3.SchemaObject): Schema | undefined {
  return 'items' in schema ? schema.items : undefined;
}

function enumOf(type: string | undefined, values: readonly unknown[] | undefined): object {
  if (values === undefined || type === 'number') return {};
  const fits = (value: unknown): boolean =>
    type === 'integer'
      ? Number.isInteger(value)
      : typeof value === 'string' || typeof value === 'boolean' || value === null;
  return values.every(fits) ? { enum: values } : {};
}

function formatOf(type: string | undefined, { format, pattern, multipleOf }: OpenAPIV3.SchemaObject): object {
  const without: Record<string, unknown> = { format: undefined };
  if (type === 'integer') {
    const isWhole = multipleOf === undefined || Number.isInteger(multipleOf);
    return { format: format === 'int32' ? format : 'int64', ...(!isWhole && { multipleOf: undefined }) };
  }
  if (type === 'number') return format === 'float' || format === 'double' ? {} : without;
  if (type !== 'string') return {};
  return {
    ...(format !== undefined && !stringFormats.has(format) && without),
    ...(pattern !== undefined && { pattern: unicodePattern(pattern) }),
  };
}

/**
 * The layer reads patterns with the flag "u", which refuses `[\w-.]` and `\@`. Both mean the same if the
 * hyphen is escaped, and the other character is not.
 *
 * @returns undefined if JavaScript cannot read the pattern
 */
function unicodePattern(pattern: string): string | undefined {
  let inClass = false;
  const made = pattern.replaceAll(/\\[dswDSW]-(?!\])|-(?=\\[dswDSW])|\\.|[[\]]/gs, (token) => {
    if (token === '[') inClass = true;
    if (token === ']') inClass = false;
    if (token.endsWith('-') && token !== '\\-') return inClass ? `${token.slice(0, -1)}\\-` : token;
    const isNeeded = /^\\[\p{L}\p{N}^$\\.*+?()[\]{}|/]$/u.test(token) || (token === '\\-' && inClass);
    return token.startsWith('\\') && !isNeeded ? token.slice(1) : token;
  });
  return [pattern, made].find(isPattern);
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/**
 * OpenAPI 3.0.3, "readOnly" and "writeOnly": such a member is not sent in the other direction, even if
 * required.
 */
function objectOf(schema: OpenAPIV3.SchemaObject, direction: Direction): object {
  const { properties = {}, required = [], additionalProperties } = schema;
  const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
  const members = Object.entries(properties).filter(
    ([name, member]) => !keywordNames.includes(name) && ('$ref' in member || member[keyword] !== true),
  );
  const gone = Object.keys(properties).filter((name) => members.every(([kept]) => kept !== name));
  const needed = required.filter((name) => name !== '' && !gone.includes(name));
  return {
    properties: Object.fromEntries(
      members.map(([name, member]) => [name, servableSchema(member, direction)]),
    ),
    required: needed.length > 0 ? needed : undefined,
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: servableSchema(additionalProperties, direction),
    }),
  };
}
