/** Random values at the boundaries of schemas: some fit them, some nearly. */

import type { JsonValue } from '../../../exact-json/index.js';
import type { ContractSchema } from '../../../service/layer.js';
import type { Random } from '../../src/base/random.js';

const plainValues: readonly JsonValue[] = [
  ...[null, true, '', 'a', 'b', 'ab', 'ba', '2024-01-01', -2n, 0n, 1n, 2n, 3n, 2n ** 31n, 0.5, 1.5],
  ...[[], ['a'], {}, { a: 'a' }, { a: 1n, b: 1n }, { d: 1n }],
];

export function valueNear(schemas: readonly ContractSchema[], random: Random): JsonValue {
  const parts = schemas.flatMap((schema) => partsTried(schema, random));
  if (parts.length === 0 || random.once(12)) return pick(plainValues, random);
  const values = parts.flatMap((part) => part.enum ?? []);
  if (values.length > 0 && !random.once(6)) return fromEnum(pick(values, random));
  if (parts.some(({ nullable }) => nullable) && random.once(8)) return null;
  const type = pick(
    parts.flatMap((part) => part.type ?? []),
    random,
  );
  switch (type) {
    case 'string':
      return textNear(parts, random);
    case 'integer':
    case 'number':
      return numberNear(parts, type, random);
    case 'array':
      return arrayNear(parts, random);
    case 'object':
      return objectNear(parts, random);
    default:
      return type === 'boolean' ? random.once(2) : pick(plainValues, random);
  }
}

/** The schemas that the value is to fit: all of an `allOf`, one or two of a choice. */
function partsTried(schema: ContractSchema, random: Random): ContractSchema[] {
  const { allOf = [], oneOf = [], anyOf = [], not } = schema;
  const choices = [oneOf, anyOf].flatMap((choice) => {
    if (choice.length === 0) return [];
    return random.once(3) ? [pick(choice, random), pick(choice, random)] : [pick(choice, random)];
  });
  const forbidden = not !== undefined && random.once(3) ? [not] : [];
  return [schema, ...[...allOf, ...choices, ...forbidden].flatMap((part) => partsTried(part, random))];
}

function textNear(parts: readonly ContractSchema[], random: Random): string {
  const texts = ['', 'a', 'b', 'ab', 'bb', 'aab', 'abab', '2024-01-01'];
  const lengths = parts.flatMap(({ minLength, maxLength }) => [minLength, maxLength]);
  const length = pick(lengths, random);
  if (typeof length !== 'number') return pick(texts, random);
  return pick(['a', 'b'], random).repeat(nearby(length, random));
}

function numberNear(parts: readonly ContractSchema[], type: string, random: Random): bigint | number {
  const limits = [
    ...parts.flatMap(({ minimum, maximum, multipleOf }) => [minimum, maximum, multipleOf]),
    0,
    pick([2 ** 31 - 1, 2 ** 31, 2 ** 40], random),
  ].filter((limit) => limit !== undefined);
  const value = Number(pick(limits, random)) + pick([-1, -0.5, 0, 0, 0.5, 1], random);
  return Number.isInteger(value) || type === 'integer' ? BigInt(Math.floor(value)) : value;
}

function arrayNear(parts: readonly ContractSchema[], random: Random): JsonValue[] {
  const lengths = parts.flatMap(({ minItems, maxItems }) => [minItems, maxItems]);
  const length = pick([...lengths, 1, 2], random);
  const items = parts.map((part) => part.items).filter((part) => part !== undefined);
  const values = Array.from({ length: nearby(Number(length ?? 1), random) }, () => valueNear(items, random));
  return random.once(3) ? values.map(() => values[0] ?? null) : values;
}

function objectNear(parts: readonly ContractSchema[], random: Random): Record<string, JsonValue> {
  const required = parts.flatMap((part) => namesRequired(part));
  const named = parts.flatMap(({ properties = {} }) => Object.keys(properties));
  const names = ['a', 'b', 'c', 'd'].filter(
    (name) =>
      (required.includes(name) && !random.once(8)) ||
      (named.includes(name) && random.once(2)) ||
      random.once(6),
  );
  return Object.fromEntries(names.map((name) => [name, valueNear(membersOf(parts, name), random)]));
}

/** The schemas of a member, by each of the schemas of its object. */
export function membersOf(parts: readonly ContractSchema[], name: string): ContractSchema[] {
  return parts.flatMap(({ properties = {}, additionalProperties }) => {
    const own = properties[name] ?? additionalProperties;
    return typeof own === 'object' ? [own] : [];
  });
}

export function namesRequired({ required }: ContractSchema): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

function fromEnum(value: unknown): JsonValue {
  if (typeof value === 'number') return BigInt(value);
  return typeof value === 'string' ? value : null;
}

function nearby(length: number, random: Random): number {
  return Math.max(0, length + pick([-1, 0, 0, 1], random));
}

function pick<Item>(items: readonly Item[], random: Random): Item;
function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[random.below(items.length)];
}
