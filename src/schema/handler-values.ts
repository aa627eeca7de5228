/**
 * The values that handlers get. `parseJson` reads every integer as a bigint, but the generated types have a
 * bigint only for int64. So a value that was checked is converted by its schema.
 *
 * Within `anyOf` and `oneOf`, a value does not say which alternative it is. So the alternatives are asked in
 * their order, and the first one that the value fits converts it: of `oneOf: [int32, string]`, 7n becomes 7.
 * They are asked before anything is converted, because a check takes bigints.
 */
import type { JsonObject, JsonValue } from './json.js';
import { type ContractSchema, compileSchema, withAllOf } from './schema.js';

type Convert = (value: JsonValue) => JsonValue;

/** A schema that contains itself is met again before its conversion is made. */
type Known = Map<ContractSchema, { isMade: boolean; convert: Convert | undefined }>;

/**
 * Makes a function that turns the bigints of int32 and `type: number` into numbers. The function changes
 * objects in place, but copies arrays.
 *
 * @returns undefined if values of this schema have nothing to convert
 * @throws {Error} if an alternative of an `anyOf` or a `oneOf` cannot be compiled
 */
export function toHandlerValues(schema: ContractSchema, known: Known = new Map()): Convert | undefined {
  const before = known.get(schema);
  if (before?.isMade) return before.convert;
  if (before !== undefined) return (value) => (before.convert ? before.convert(value) : value);
  const made = { isMade: false, convert: undefined as Convert | undefined };
  known.set(schema, made);
  made.convert = conversionOf(schema, known);
  made.isMade = true;
  return made.convert;
}

function conversionOf(schema: ContractSchema, known: Known): Convert | undefined {
  const layers = withAllOf(schema);
  if (layers.some(({ type, format }) => type === 'number' || (type === 'integer' && format === 'int32'))) {
    return (value) => (typeof value === 'bigint' ? Number(value) : value);
  }
  const chosen = layers
    .flatMap(({ anyOf, oneOf }) => [anyOf, oneOf])
    .flatMap((alternatives = []) => ofAlternatives(alternatives, known) ?? []);
  const conversions = layers
    .flatMap((layer) => [ofMembers(layer, known), ofItems(layer, known)])
    .filter((convert) => convert !== undefined);
  if (chosen.length + conversions.length === 0) return undefined;
  return (value) =>
    [...chosen.flatMap((choose) => choose(value) ?? []), ...conversions].reduce(
      (converted, convert) => convert(converted),
      value,
    );
}

/** @returns a function that finds the conversion of a value; undefined if none of the alternatives has one */
function ofAlternatives(
  alternatives: readonly ContractSchema[],
  known: Known,
): ((value: JsonValue) => Convert | undefined) | undefined {
  const conversions = alternatives.map((alternative) => toHandlerValues(alternative, known));
  if (conversions.every((convert) => convert === undefined)) return undefined;
  const misfits = alternatives.map((alternative) => compileSchema(alternative));
  return (value) => conversions[misfits.findIndex((misfitOf) => misfitOf(value) === undefined)];
}

function ofMembers(
  { properties = {}, additionalProperties }: ContractSchema,
  known: Known,
): Convert | undefined {
  const named = new Map(
    Object.entries(properties).map(([name, schema]) => [name, toHandlerValues(schema, known)]),
  );
  const others =
    typeof additionalProperties === 'object' ? toHandlerValues(additionalProperties, known) : undefined;
  if (others === undefined && [...named.values()].every((convert) => convert === undefined)) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    for (const [name, member] of Object.entries(value)) {
      const convert = named.has(name) ? named.get(name) : others;
      if (convert !== undefined) value[name] = convert(member);
    }
    return value;
  };
}

function ofItems({ items }: ContractSchema, known: Known): Convert | undefined {
  const convert = items && toHandlerValues(items, known);
  return convert && ((value) => (Array.isArray(value) ? value.map(convert) : value));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
