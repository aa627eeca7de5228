/**
 * The values that handlers get. `parseJson` reads every integer as a bigint, but the generated types have a
 * bigint only for int64. So a value that was checked is converted by its schema.
 *
 * Within `anyOf` and `oneOf`, a value does not say which alternative it is. So the alternatives are asked in
 * their order, and the first one that the value fits converts it: of `oneOf: [int32, string]`, 7n becomes 7.
 * They are asked before anything is converted, because a check takes bigints.
 */
import { type JsonObject, type JsonValue, memberAt } from '../../../exact-json/index.js';
import { type ContractSchema, compileSchema, typesOf, withAllOf } from './schema.js';

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
  const chosen = layers.flatMap((layer) => choicesOf(layer, known));
  const conversions = layers
    .flatMap((layer) => [ofNumber(layer), ofMembers(layer, known), ofItems(layer, known)])
    .filter((convert) => convert !== undefined);
  if (chosen.length + conversions.length === 0) return undefined;
  return (value) =>
    [...chosen.flatMap((choose) => choose(value) ?? []), ...conversions].reduce(
      (converted, convert) => convert(converted),
      value,
    );
}

/** Finds the conversion of a value. */
type Choose = (value: JsonValue) => Convert | undefined;

function choicesOf(layer: ContractSchema, known: Known): Choose[] {
  const { anyOf = [], oneOf = [], dependentSchemas = {} } = layer;
  const ofMember = Object.entries(dependentSchemas).flatMap(([name, schema]): Choose[] => {
    const convert = toHandlerValues(schema, known);
    return convert === undefined
      ? []
      : [(value) => (memberAt(value, name) === undefined ? undefined : convert)];
  });
  return [
    ...[anyOf, oneOf].flatMap((alternatives) => ofAlternatives(alternatives, known) ?? []),
    ...ofMember,
    ...(layer.if === undefined
      ? []
      : [ofCondition(layer.if, layer, known)].filter((one) => one !== undefined)),
  ];
}

function ofCondition(condition: ContractSchema, layer: ContractSchema, known: Known): Choose | undefined {
  const met = layer.then && toHandlerValues(layer.then, known);
  const unmet = layer.else && toHandlerValues(layer.else, known);
  if (met === undefined && unmet === undefined) return undefined;
  const violationOf = compileSchema(condition);
  return (value) => (violationOf(value) === undefined ? met : unmet);
}

function ofNumber(layer: ContractSchema): Convert | undefined {
  const types = typesOf(layer);
  if (!types.includes('number') && !(types.includes('integer') && layer.format === 'int32')) return undefined;
  return (value) => (typeof value === 'bigint' ? Number(value) : value);
}

/** @returns a function that finds the conversion of a value; undefined if none of the alternatives has one */
function ofAlternatives(alternatives: readonly ContractSchema[], known: Known): Choose | undefined {
  const conversions = alternatives.map((alternative) => toHandlerValues(alternative, known));
  if (conversions.every((convert) => convert === undefined)) return undefined;
  const violations = alternatives.map((alternative) => compileSchema(alternative));
  return (value) => conversions[violations.findIndex((violationOf) => violationOf(value) === undefined)];
}

function ofMembers(
  { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties }: ContractSchema,
  known: Known,
): Convert | undefined {
  const named = new Map(
    Object.entries(properties).map(([name, schema]) => [name, toHandlerValues(schema, known)]),
  );
  const patterns = Object.entries(patternProperties).map(
    ([pattern, schema]) => [new RegExp(pattern, 'u'), toHandlerValues(schema, known)] as const,
  );
  const unnamed = [additionalProperties, unevaluatedProperties].find((schema) => typeof schema === 'object');
  const others = typeof unnamed === 'object' ? toHandlerValues(unnamed, known) : undefined;
  const all = [others, ...named.values(), ...patterns.map(([, convert]) => convert)];
  if (all.every((convert) => convert === undefined)) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    for (const [name, member] of Object.entries(value)) {
      const matching = patterns.filter(([pattern]) => pattern.test(name)).map(([, convert]) => convert);
      const own = named.has(name) ? [named.get(name), ...matching] : matching;
      const converts = own.length > 0 ? own : [others];
      value[name] = converts.reduce((converted, convert) => convert?.(converted) ?? converted, member);
    }
    return value;
  };
}

function ofItems({ items, prefixItems = [] }: ContractSchema, known: Known): Convert | undefined {
  const others = items && toHandlerValues(items, known);
  const first = prefixItems.map((schema) => toHandlerValues(schema, known));
  if (others === undefined && first.every((convert) => convert === undefined)) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    return value.map((item, index) => (index < first.length ? first[index] : others)?.(item) ?? item);
  };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
