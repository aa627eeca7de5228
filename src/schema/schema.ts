/**
 * Compiles a schema of the document into a check of values.
 *
 * Ajv checks JSON Schema, which OpenAPI 3.0 only resembles. If Ajv got the schemas of a document as they are,
 * it would refuse every bigint, give `exclusiveMinimum: true` another meaning, and pass over what it does not
 * know. An author would believe that something is checked, and it is not. So `toAjvSchema` translates each
 * schema, and refuses what it cannot translate:
 *
 * 1. A keyword that Ajv would take, but with another meaning or none, is an error: `$ref` and `default`,
 *    `readOnly` in a request, `writeOnly` in a response.
 * 2. The keywords of a number become one keyword that is exact (numbers.ts).
 * 3. Annotations, such as `description`, and extensions (`x-…`) check nothing, and are left out.
 * 4. `uniqueItems` becomes `distinctItems` (distinct-items.ts).
 * 5. Schemas within the schema are translated in the same way.
 * 6. A schema that contains itself gets a name, and stands where it is used as a `$ref` to that name.
 * 7. Ajv compiles the result in strict mode, so that any other unknown keyword or format is an error, too.
 *
 * For example, `{ type: integer, format: int32, minimum: 1, description: 'How many' }` becomes
 * `{ exactInteger: { minimum: '1', maximum: '2147483647', multipleOf: '1', nullable: false } }`.
 *
 * The cost: a document is refused if it uses what nothing here checks. The refusal comes from `npm run
 * codegen`, with the place in the YAML.
 */
import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { distinctItems } from './distinct-items.js';
import { stringFormats } from './formats.js';
import { pathOf, valueAt } from './json-pointer.js';
import { type NumericSchema, notANumber, numericKeywords, toNumericKeyword } from './numbers.js';

/** A schema of OpenAPI 3.0 whose references are resolved. It may contain itself, as an object of JavaScript. */
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

/** Keywords that Ajv accepts, but with another meaning or none; and the sentence that refuses each. */
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

/** The strict mode makes an unknown keyword or format an error. */
const ajv = new Ajv({
  strict: true,
  strictRequired: false,
  ownProperties: true,
  keywords: [...numericKeywords, distinctItems],
  // document/document.ts has checked the document with OpenAPI's own schema.
  validateSchema: false,
});
for (const [name, check] of stringFormats) ajv.addFormat(name, check);

/** The first thing that is wrong with a value. */
export interface Misfit {
  /** A JSON pointer into the value (RFC 6901); empty for the value itself. */
  readonly pointer: string;
  /** The rule that the value breaks, such as "must be string". It continues the name of the value. */
  readonly message: string;
  /** What stands there instead of a number, such as "is a text"; absent if the rule is not of numbers. */
  readonly found?: string;
}

/** @returns the message, and what stands there, if the message does not tell it */
export function sentenceOf({ message, found }: Misfit): string {
  return found === undefined ? message : `${message}, and ${found}`;
}

/**
 * Makes a check of values as `parseJson` reads them, with bigints for integers.
 *
 * @param direction whether the values are those of requests or of responses
 * @returns a function that returns what is wrong with a value; undefined if it fits
 * @throws {Error} if a keyword, type or format would go unchecked
 */
export function compileSchema(
  schema: ContractSchema,
  direction: Direction = 'request',
): (value: unknown) => Misfit | undefined {
  const validate = ajv.compile(toAjvDocument(schema, direction));
  return (value) => {
    if (validate(value)) return undefined;
    // Ajv reports at least one error.
    const [error] = validate.errors as [ErrorObject];
    const { keyword, instancePath: pointer } = error;
    const found = notANumber(keyword, valueAt(value, pathOf(pointer)));
    return { pointer, message: messageFor(error), ...(found !== undefined && { found }) };
  };
}

/** Adds the values of an enum, which Ajv's message does not name. */
function messageFor({ keyword, params, message }: ErrorObject): string {
  if (keyword !== 'enum') return String(message);
  const values = [params['allowedValues']].flat().map((value) => JSON.stringify(value));
  return `must be one of ${values.join(', ')}`;
}

/**
 * Translates a schema for Ajv, with the schemas that contain themselves as definitions.
 *
 * @throws {Error} if that would leave something unchecked
 */
function toAjvDocument(schema: ContractSchema, direction: Direction): SchemaObject {
  const names = new Map(Array.from(endlessWithin(schema), (part, index) => [part, `endless${index}`]));
  const convert = (part: ContractSchema): SchemaObject => {
    const name = names.get(part);
    return name === undefined ? toAjvSchema(part, direction, convert) : { $ref: `#/definitions/${name}` };
  };
  if (names.size === 0) return convert(schema);
  const definitions = Array.from(names, ([part, name]) => [name, toAjvSchema(part, direction, convert)]);
  return { ...convert(schema), definitions: Object.fromEntries(definitions) };
}

/**
 * Finds the schemas that contain themselves.
 *
 * @throws {Error} if one does so without a member or an item between, because a check would never end
 */
function endlessWithin(schema: ContractSchema): Set<ContractSchema> {
  const endless = new Set<ContractSchema>();
  const done = new Set<ContractSchema>();
  const visit = (part: ContractSchema, above: readonly ContractSchema[], ofSameValue: number): void => {
    const round = above.indexOf(part);
    if (round >= ofSameValue) throw new Error('a schema is its own alternative or a part of its own "allOf"');
    if (round >= 0) endless.add(part);
    if (done.has(part)) return;
    done.add(part);
    const { properties = {}, additionalProperties, items, allOf = [], anyOf = [], oneOf = [], not } = part;
    const within = [...above, part];
    for (const same of [...allOf, ...anyOf, ...oneOf, ...(not ? [not] : [])])
      visit(same, within, ofSameValue);
    for (const other of [...Object.values(properties), additionalProperties, items]) {
      if (typeof other === 'object') visit(other, within, within.length);
    }
  };
  visit(schema, [], 0);
  return endless;
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
  const numeric = toNumericKeyword(schema);
  if (numeric === undefined && schema.enum?.some((value) => !isPlain(value))) {
    throw new Error('an "enum" may list numbers only beside "type: integer", and no arrays or objects');
  }
  const { required } = schema;
  // Ajv would not notice that the member is missing: the code that it makes takes the name "" for false.
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
    ...subschemasOf(schema, convert),
  };
}

/** @returns whether Ajv's `enum` can find the value: it cannot compare a bigint with a number */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

function subschemasOf(schema: ContractSchema, convert: Convert): SchemaObject {
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

/** @returns the schema, and all that `allOf` adds to it: a value must fit each of them */
export function withAllOf(schema: ContractSchema): ContractSchema[] {
  return [schema, ...(schema.allOf ?? []).flatMap(withAllOf)];
}

/**
 * @returns the schema, and all that `allOf`, `anyOf` and `oneOf` add to it: a value may have the members of
 * any of them
 */
export function partsOf(schema: ContractSchema): ContractSchema[] {
  const found = new Set<ContractSchema>();
  const visit = (part: ContractSchema): void => {
    // A document may write a schema that is its own alternative, which `compileSchema` refuses.
    if (found.has(part)) return;
    found.add(part);
    const { allOf = [], anyOf = [], oneOf = [] } = part;
    for (const below of [...allOf, ...anyOf, ...oneOf]) visit(below);
  };
  visit(schema);
  return [...found];
}

/**
 * @returns the schema of a member; undefined if the schema has none. It ignores what the map inherits,
 * because a member may be called `toString`
 */
export function ownSchema({ properties = {} }: ContractSchema, name: string): ContractSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
