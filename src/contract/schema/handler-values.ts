/**
 * The values that handlers get. `parseJson` reads every integer as a bigint, but the generated types have a
 * bigint only for int64. So a value that was checked is converted by its schema.
 *
 * Within `anyOf` and `oneOf`, a value does not say which branch it is. So a branch with something to convert
 * is refused by codegen.
 */
import type { JsonObject, JsonValue } from '../json.js';
import type { ContractSchema } from './schema.js';

type Convert = (value: JsonValue) => JsonValue;

/**
 * Makes a function that turns the bigints of int32 and `type: number` into numbers. The function changes
 * objects in place, but copies arrays.
 *
 * @returns undefined if values of this schema have nothing to convert
 * @throws {Error} if such a value stands within `anyOf` or `oneOf`
 */
export function toHandlerValues(schema: ContractSchema): Convert | undefined {
  if (schema.type === 'number' || (schema.type === 'integer' && schema.format === 'int32')) {
    return (value) => (typeof value === 'bigint' ? Number(value) : value);
  }
  if (
    [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some((branch) => toHandlerValues(branch) !== undefined)
  ) {
    throw new Error('int32 and "type: number" are not supported within "anyOf" and "oneOf": use int64');
  }
  const conversions = [
    ...(schema.allOf ?? []).map(toHandlerValues),
    ofMembers(schema),
    ofItems(schema),
  ].filter((convert) => convert !== undefined);
  if (conversions.length === 0) return undefined;
  return (value) => conversions.reduce((converted, convert) => convert(converted), value);
}

function ofMembers({ properties = {}, additionalProperties }: ContractSchema): Convert | undefined {
  const named = new Map(Object.entries(properties).map(([name, schema]) => [name, toHandlerValues(schema)]));
  const others = typeof additionalProperties === 'object' ? toHandlerValues(additionalProperties) : undefined;
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

function ofItems({ items }: ContractSchema): Convert | undefined {
  const convert = items && toHandlerValues(items);
  return convert && ((value) => (Array.isArray(value) ? value.map(convert) : value));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
