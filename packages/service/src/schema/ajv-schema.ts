/**
 * Translates a schema of the form (packages/contract-tools/src/document/form.ts) for Ajv.
 *
 * Ajv checks JSON Schema 2020-12, and the form is in its terms, but Ajv knows no bigint: it would refuse every
 * integer that `parseJson` has read, and pass over a keyword that means nothing to it. An author would believe
 * that something is checked, and it is not. So `toAjvSchema` translates each schema, and refuses what it
 * cannot translate:
 *
 * 1. A keyword that Ajv would take, but with another meaning or none, is an error: `default`, `readOnly` in a
 *    request, `writeOnly` in a response.
 * 2. The keywords of a number become one keyword that is exact (numbers.ts).
 * 3. Annotations, such as `description`, and extensions (`x-…`) check nothing, and are left out.
 * 4. `uniqueItems` becomes `distinctItems` (distinct-items.ts).
 * 5. Schemas within the schema are translated in the same way.
 * 6. A schema that contains itself gets a name, and stands where it is used as a `$ref` to that name.
 * 7. Ajv compiles the result in strict mode, so that any other unknown keyword or format is an error, too.
 *
 * For example, `{ type: integer, format: int32, minimum: 1n, description: 'How many' }` becomes
 * `{ exactInteger: { minimum: '1', maximum: '2147483647', multipleOf: '1', nullable: false } }`.
 *
 * The cost: a document is refused if it uses what nothing here checks. The refusal comes from `npm run
 * codegen`, with the place in the YAML.
 */
import type { SchemaObject } from 'ajv';
import { type ContractSchema, subschemasOf, typesOf, withAllOf } from './contract-schema.js';
import { isNumericFormat, toNumericKeyword } from './numbers.js';
import { convertedWithin, endlessWithin } from './subschemas.js';

/** A keyword such as `readOnly` has a meaning in one of the two only. */
export type Direction = 'request' | 'response';

/** These keywords check nothing. */
const annotations = new Set([
  '$comment',
  '$id',
  '$schema',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'description',
  'title',
  'examples',
  'externalDocs',
  'deprecated',
  'discriminator',
  'xml',
  'readOnly',
  'writeOnly',
]);

/** Keywords that Ajv accepts, but with another meaning or none; and the sentence that refuses each. */
const ofDefault = [
  'default',
  '"default" is not supported here: nothing takes the place of what is absent',
] as const;
const refused: Readonly<Record<Direction, ReadonlyMap<string, string>>> = {
  request: new Map([
    ofDefault,
    ['readOnly', '"readOnly" is not supported in a request: leave the member out of its schema'],
  ]),
  response: new Map([
    ofDefault,
    ['writeOnly', '"writeOnly" is not supported in a response: leave the member out of its schema'],
  ]),
};

/**
 * Translates a schema for Ajv, with the schemas that contain themselves as definitions.
 *
 * @throws {Error} if that would leave something unchecked
 */
export function toAjvDocument(schema: ContractSchema, direction: Direction): SchemaObject {
  const names = new Map(Array.from(endlessWithin(schema), (part, index) => [part, `endless${index}`]));
  const convert = (part: ContractSchema): SchemaObject => {
    const name = names.get(part);
    return name === undefined ? toAjvSchema(part, direction, convert) : { $ref: `#/$defs/${name}` };
  };
  if (names.size === 0) return convert(schema);
  const definitions = Array.from(names, ([part, name]) => [name, toAjvSchema(part, direction, convert)]);
  return { ...convert(schema), $defs: Object.fromEntries(definitions) };
}

type Convert = (part: ContractSchema) => SchemaObject;

/**
 * @param convert translates a schema within this one
 * @throws {Error} if that would leave something unchecked
 */
function toAjvSchema(schema: ContractSchema, direction: Direction, convert: Convert): SchemaObject {
  for (const keyword of Object.keys(schema)) {
    const reason = refused[direction].get(keyword);
    if (reason !== undefined) throw new Error(reason);
  }
  const typed = withTypeOfParts(schema);
  const types = typesOf(typed);
  if (types.length > 1 && types.some((type) => type === 'integer' || type === 'number'))
    return toAjvChoice(typed, types, convert);
  return toAjvKeywords(typed, convert);
}

/**
 * Takes the type from `allOf`, if a keyword asks for one that the schema does not name itself. So stand
 * keywords beside a `$ref` in 3.1: `{ $ref: …/Name, minLength: 2 }`.
 */
function withTypeOfParts(schema: ContractSchema): ContractSchema {
  if (schema.type !== undefined || !Object.keys(schema).some((keyword) => ofOneType.has(keyword)))
    return schema;
  const { type, format } = withAllOf(schema).find((part) => part.type !== undefined) ?? {};
  if (type === undefined) return schema;
  const isNumeric = format !== undefined && isNumericFormat(format);
  return { ...schema, type, ...(isNumeric && { format }) };
}

/** These keywords say something of values of one type only. */
const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  array:
    'items prefixItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems'.split(
      ' ',
    ),
  object:
    'properties patternProperties additionalProperties unevaluatedProperties propertyNames required dependentRequired minProperties maxProperties'.split(
      ' ',
    ),
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
const ofOneType: ReadonlySet<string> = new Set(Object.values(keywordsOfType).flat());

/**
 * Translates a schema of several types, one of which is numeric, into an alternative for each type: Ajv knows
 * nothing of the numbers here.
 */
function toAjvChoice(schema: ContractSchema, types: readonly string[], convert: Convert): SchemaObject {
  const { type: _, enum: values, format, allOf = [], ...others } = schema;
  const shared = Object.entries(others).filter(([keyword]) => !ofOneType.has(keyword));
  const alternatives = types.flatMap((type) => {
    const own = Object.entries(others).filter(([keyword]) => keywordsOfType[type]?.includes(keyword));
    const allowed = values?.filter((value) => isOfType(value, type));
    if (allowed?.length === 0) return [];
    const isNumeric = type === 'integer' || type === 'number';
    const hasFormat = format !== undefined && isNumeric === isNumericFormat(format);
    return {
      ...Object.fromEntries(own),
      type,
      ...(allowed && { enum: allowed }),
      ...(hasFormat && { format }),
    };
  });
  const choice: ContractSchema = { anyOf: alternatives };
  return toAjvKeywords({ ...Object.fromEntries(shared), allOf: [...allOf, choice] }, (part) =>
    part === choice ? toAjvKeywords(part, (one) => toAjvKeywords(one, convert)) : convert(part),
  );
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return typeof value === 'bigint';
  return typeof value === type || (type === 'number' && typeof value === 'bigint');
}

/** @throws {Error} if that would leave something unchecked */
function toAjvKeywords(schema: ContractSchema, convert: Convert): SchemaObject {
  const numeric = toNumericKeyword(schema);
  if (numeric === undefined && schema.enum?.some((value) => !isPlain(value))) {
    throw new Error('an "enum" may list numbers only beside "type: integer", and no arrays or objects');
  }
  const { required } = schema;
  // Ajv would not notice that the member is missing: the code that it makes takes the name "" for false.
  if (Array.isArray(required) && required.includes('')) {
    throw new Error('"required" cannot list a member whose name is empty');
  }
  // Ajv 8.20.0 then takes an empty list, in which nothing is contained.
  if (schema['contains'] !== undefined && schema.prefixItems !== undefined) {
    throw new Error(
      '"contains" is not supported beside "prefixItems": keep one, or write the other in "allOf"',
    );
  }
  // Ajv 8.20.0 then counts every item as evaluated, and not only those that "contains" has found.
  if (
    schema['unevaluatedItems'] !== undefined &&
    subschemasOf(schema).some((part) => part['contains'] !== undefined)
  ) {
    throw new Error(
      '"unevaluatedItems" is not supported beside "contains": say by "items" what the other items are',
    );
  }
  const keywords = Object.entries(schema)
    .filter(
      ([keyword]) => !annotations.has(keyword) && !keyword.startsWith('x-') && !numeric?.checks(keyword),
    )
    // Lengths and counts are integers, too.
    .map(([keyword, value]) => [keyword, typeof value === 'bigint' ? Number(value) : value]);
  const { uniqueItems, ...others } = Object.fromEntries(keywords);
  return {
    ...numeric?.rule,
    ...others,
    ...(uniqueItems === true && { distinctItems: true }),
    ...convertedWithin(schema, convert),
  };
}

/** @returns whether Ajv's `enum` can find the value: it cannot compare a bigint with a number */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}
