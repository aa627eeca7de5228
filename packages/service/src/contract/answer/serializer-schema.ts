/**
 * Writes the schema of an answer in the words of fast-json-stringify, Fastify's serializer: it knows draft-07
 * and the `nullable` of OpenAPI 3.0, and writes a bigint only where one type alone says `integer`. What it
 * could not write is refused, in `npm run codegen`.
 */
import { type ContractSchema, typesOf } from '../../schema/schema.js';
import { convertedWithin, endlessWithin } from '../../schema/subschemas.js';

/** The serializer passes over these, so that it would write an item or a member as it pleases. */
const unwritable = [
  'prefixItems',
  'patternProperties',
  'unevaluatedProperties',
  'dependentSchemas',
  'if',
] as const;

/** @throws {Error} if the serializer could not write the values of this schema */
export function refuseUnwritable(schema: ContractSchema): void {
  refuse(schema, false, new Map());
}

function refuse(schema: ContractSchema, inChoice: boolean, seen: Map<ContractSchema, Set<boolean>>): void {
  const before = seen.get(schema) ?? new Set();
  if (before.has(inChoice)) return;
  seen.set(schema, before.add(inChoice));
  const types = typesOf(schema).filter((type) => type !== 'null');
  // The serializer validates a value to find its branch of a choice, and takes no bigint for an integer
  // there.
  if (types.includes('integer') && schema.format === 'int64' && (inChoice || types.length > 1)) {
    throw new Error(
      'int64 is not supported within "anyOf" and "oneOf" of a response, nor beside another type: it could not be written',
    );
  }
  const keyword = unwritable.find((one) => schema[one] !== undefined && schema[one] !== false);
  if (keyword !== undefined) {
    throw new Error(
      `"${keyword}" is not supported in a response: write each member, or "items" for all items`,
    );
  }
  const { properties = {}, additionalProperties, items, allOf = [], anyOf = [], oneOf = [] } = schema;
  const inherited = Object.keys(properties).find((name) => name in Object.prototype);
  if (inherited !== undefined) {
    throw new Error(`a member "${inherited}" is not supported in a response: every object has one unasked`);
  }
  for (const part of [...Object.values(properties), additionalProperties, items, ...allOf]) {
    if (typeof part === 'object') refuse(part, inChoice, seen);
  }
  for (const part of [...anyOf, ...oneOf]) refuse(part, true, seen);
}

/** @returns the schema as the serializer reads it. One that contains itself is a definition. */
export function serializerSchema(schema: ContractSchema): object {
  const names = new Map(Array.from(endlessWithin(schema), (part, index) => [part, `endless${index}`]));
  const convert = (part: ContractSchema): object => {
    const name = names.get(part);
    return name === undefined ? translated(part, convert) : { $ref: `#/definitions/${name}` };
  };
  const definitions = Array.from(names, ([part, name]) => [name, translated(part, convert)]);
  return {
    ...convert(schema),
    ...(definitions.length > 0 && { definitions: Object.fromEntries(definitions) }),
  };
}

function translated(schema: ContractSchema, convert: (part: ContractSchema) => object): object {
  const types = typesOf(schema);
  const named = types.filter((type) => type !== 'null');
  const [type] = named;
  const { default: _, examples: __, ...others } = doubles(schema);
  return {
    ...others,
    ...(named.length === 1 && { type }),
    ...(named.length === 1 && types.length > 1 && { nullable: true }),
    ...convertedWithin(schema, convert),
  };
}

/** Bounds may choose a branch, which a validator of doubles does. */
function doubles(schema: ContractSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      Array.isArray(value) ? value.map(double) : double(value),
    ]),
  );
}

function double(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
