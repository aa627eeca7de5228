/**
 * Makes schemas of requests that the service's own layer can check. That layer refuses a document with a
 * keyword that it does not check, such as an unknown format. The mock serves a copy without such keywords, and
 * so accepts values that the document may refuse; it says which rules those are.
 *
 * The parser of the document leaves a reference only if it leads in a circle. Here it becomes the schema that
 * it leads to, which then contains itself as an object: the layer checks it at every depth.
 */
import type { OpenAPIV3 } from 'openapi-types';
import { stringFormats } from '../../../src/schema/formats.js';
import { pathOfReference, valueAt } from '../../../src/schema/json-pointer.js';
import { shown } from '../diff/node.js';

export type Schema = OpenAPIV3.SchemaObject | OpenAPIV3.ReferenceObject;

/** Takes a schema of a request to one that the layer can check. */
export type Servable = (schema: Schema) => OpenAPIV3.SchemaObject;

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

/**
 * @param document the whole document, in which references lead
 * @param drop is called with each rule that is left out, such as `format: phone`
 * @returns a function that keeps the keywords that the layer checks, and as much of a schema's meaning as they
 *   leave
 */
export function servableSchemas(document: OpenAPIV3.Document, drop: (rule: string) => void): Servable {
  const made = new Map<object, OpenAPIV3.SchemaObject>();
  return function servable(written: Schema): OpenAPIV3.SchemaObject {
    const schema = targetOf(document, written);
    const before = made.get(schema);
    if (before !== undefined) return before;
    // It is known before it is whole, because it may contain itself.
    const whole: OpenAPIV3.SchemaObject = {};
    made.set(schema, whole);
    return Object.assign(whole, servableSchema(schema, servable, drop));
  };
}

function targetOf(document: OpenAPIV3.Document, written: Schema): OpenAPIV3.SchemaObject {
  let schema = written;
  for (const seen = new Set<string>(); '$ref' in schema && typeof schema.$ref === 'string'; ) {
    // A reference to itself says nothing of a value.
    if (seen.has(schema.$ref)) return {};
    seen.add(schema.$ref);
    // The parser has refused references that lead nowhere.
    schema = valueAt(document, pathOfReference(schema.$ref)) as Schema;
  }
  return schema as OpenAPIV3.SchemaObject;
}

function servableSchema(
  schema: OpenAPIV3.SchemaObject,
  below: Servable,
  drop: (rule: string) => void,
): OpenAPIV3.SchemaObject {
  const type = typeOf(schema);
  const known = [...always, ...(type === undefined ? [] : (keywordsOf[type] ?? []))];
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([key]) => known.includes(key) || /^x-exact-m/.test(key)),
  );
  const { nullable, enum: values, ...others }: OpenAPIV3.SchemaObject = kept;
  const made = withoutUndefined({
    ...others,
    ...(type !== undefined && { type }),
    ...(type !== undefined && nullable === true && { nullable }),
    ...enumOf(type, values),
    ...formatOf(type, schema),
    ...(type === 'object' && objectOf(schema, below)),
    ...(type === 'array' && { items: below(itemsOf(schema) ?? {}) }),
    ...(schema.allOf && { allOf: schema.allOf.map(below) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(below) }),
    ...(schema.oneOf && { oneOf: schema.oneOf.map(below) }),
    ...(schema.not && { not: below(schema.not) }),
  });
  for (const rule of rulesOf(schema, type)) {
    if (!(rule in made)) drop(`${rule}: ${shown(Object(schema)[rule])}`);
  }
  return made;
}

/** Lists the keywords that say something of a value of this type, or of any type if there is none. */
function rulesOf(schema: OpenAPIV3.SchemaObject, type: string | undefined): string[] {
  const lists = type === undefined ? Object.values(keywordsOf) : [keywordsOf[type] ?? []];
  const rules = new Set(['enum', 'multipleOf', ...lists.flat()]);
  // Such a format only names the type, and a list of no members is no rule.
  const isIdle = (key: string): boolean =>
    (key === 'format' && (type === 'integer' || type === 'number' || type === 'boolean')) ||
    (key === 'required' && schema.required?.length === 0) ||
    (key === 'format' && ['password', 'binary'].includes(schema.format ?? ''));
  return Object.keys(schema).filter((key) => rules.has(key) && !isIdle(key));
}

/** A keyword whose value is undefined is still a keyword to a validator. */
function withoutUndefined(schema: object): OpenAPIV3.SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function typeOf(schema: OpenAPIV3.SchemaObject): string | undefined {
  if (schema.type !== undefined) return schema.type;
  // The layer compares integers only if the type says so.
  if (schema.enum?.length && schema.enum.every((value) => Number.isInteger(value))) return 'integer';
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

/** OpenAPI 3.0.3, "readOnly": such a member is not sent in a request, even if required. */
function objectOf(schema: OpenAPIV3.SchemaObject, below: Servable): object {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties).filter(
    ([, member]) => ('$ref' in member && typeof member.$ref === 'string') || !Object(member).readOnly,
  );
  const gone = Object.keys(properties).filter((name) => members.every(([kept]) => kept !== name));
  const needed = required.filter((name) => name !== '' && !gone.includes(name));
  return {
    properties: Object.fromEntries(members.map(([name, member]) => [name, below(member)])),
    required: needed.length > 0 ? needed : undefined,
    ...(typeof additionalProperties === 'object' && { additionalProperties: below(additionalProperties) }),
  };
}
