/**
 * Makes values that fit a schema: the plainest one, an example, and any. Some keywords say how to make a
 * value, and others only how to judge one. So a value is made by the type and the bounds, and then judged; if
 * it does not fit, another one is made.
 */
import fc from 'fast-check';
import type { Node } from '../document/node.js';
import { countBounds, integerBounds, interoperable, maxMade, typesOf } from './bounds.js';
import { formattedTexts, hasUnknownFormat, laterText } from './formats.js';
import { Decimal, fromYaml, isArray, isObject, sameValue, type Value, type ValueObject } from './json.js';
import { allLayersOf, itemSchemas, keyOf } from './layers.js';
import { oddTexts } from './odd-texts.js';
import { anyTextOf } from './pattern-texts.js';
import { patternOf } from './patterns.js';
import { violationsOf } from './schema.js';
import { isLikeReference, type Member, membersOf } from './sites.js';
import { variantsOf } from './variants.js';

/** All of Unicode except surrogates; the smallest is "a". fast-check's own takes three seconds to set up. */
const characters = 0x110000 - 0x800;
const anyCharacter = fc.nat({ max: characters - 1 }).map((number) => {
  const code = (number + 0x61) % characters;
  return String.fromCodePoint(code < 0xd800 ? code : code + 0x800);
});

/** Nothing here can find a value that fits a schema. */
export class NoValueError extends Error {
  override readonly name = 'NoValueError';
}

/** The number of values that may be made in a row without one that fits. */
const rejectionsBeforeGivingUp = 10_000;
/** A schema can contain itself: below this many levels, values are the plainest. */
const deepest = 4;
/** No request needs more. A schema of 26 levels, each of which needs two of the next, has 67 million parts. */
const maxParts = 20_000;

export function fits(schemas: readonly Node[], value: Value): boolean {
  return schemas.every((schema) => violationsOf(schema, value).length === 0);
}

/**
 * Whether a value that is made fits: some patterns are asked for short texts only (patterns.ts), and nobody knows whether a
 * longer one may be sent.
 */
export function surelyFits(schemas: readonly Node[], value: Value): boolean {
  if (!fits(schemas, value)) return false;
  if (typeof value !== 'string') return true;
  const layers = allLayersOf(schemas);
  const isListed = layers.some((layer) => choices(layer).includes(value));
  const patterns = layers.flatMap((layer) => patternOf(layer.text('pattern') ?? '') ?? []);
  return isListed || patterns.every((pattern) => pattern.test(value) === true);
}

/**
 * Generates any value that fits all of the schemas.
 *
 * @throws {NoValueError} if JavaScript cannot read a pattern of the schemas; the arbitrary throws it, when it
 *   generates, if it finds no value that fits
 */
export function anyValue(schemas: readonly Node[], depth = 0): fc.Arbitrary<Value> {
  const layers = allLayersOf(schemas);
  if (depth > deepest) return fc.constant(plainValue(schemas));
  let rejected = 0;
  return anyOfType(layers, depth).filter((value) => {
    if (surelyFits(schemas, value)) {
      rejected = 0;
      return true;
    }
    if (++rejected < rejectionsBeforeGivingUp) return false;
    throw new NoValueError(`no value was found that fits the schema at ${schemas[0]?.path.join('/')}.`);
  });
}

/** The plainest values that were made, by their layers. A value is shared, and never changes. */
const plainValues = new WeakMap<object, Map<string, Value | undefined>>();

/**
 * Makes the plainest value: it has no optional members, and no more characters or items than required. It is
 * the same each time, so that schemas which share others are looked at once.
 *
 * @throws {NoValueError} if none was found, if each contains itself, or if it has too many parts to be sent
 */
export function plainValue(schemas: readonly Node[]): Value {
  const layers = allLayersOf(schemas);
  const [first] = layers;
  if (typeof first?.value !== 'object' || first.value === null) return makePlain(schemas);
  const made = plainValues.get(first.value) ?? new Map<string, Value | undefined>();
  plainValues.set(first.value, made);
  const key = keyOf(layers);
  const known = made.get(key);
  if (known !== undefined) return known;
  const place = first.path.join('/');
  if (made.has(key)) throw new NoValueError(`the schema at ${place} contains itself without an end.`);
  made.set(key, undefined);
  try {
    const value = makePlain(schemas);
    if (serviceOf(value) > maxParts)
      throw new NoValueError(`each value of the schema at ${place} has more than ${maxParts} parts.`);
    made.set(key, value);
    return value;
  } finally {
    if (made.get(key) === undefined) made.delete(key);
  }
}

/** The numbers of parts of objects and arrays, of which one can be in several others. */
const sizes = new WeakMap<object, number>();

function serviceOf(value: Value): number {
  if (!isArray(value) && !isObject(value)) return 1;
  const parts = isArray(value) ? value : Object.values(value);
  const size = sizes.get(value) ?? parts.reduce((sum: number, part) => sum + serviceOf(part), 1);
  sizes.set(value, size);
  return size;
}

function makePlain(schemas: readonly Node[]): Value {
  const variants = variantsOf(allLayersOf(schemas));
  let unmade: NoValueError | undefined;
  for (const layers of variants) {
    try {
      const choice = [...layers.flatMap(choices), ...plainCandidates(layers)].find((value) =>
        surelyFits(schemas, value),
      );
      if (choice !== undefined) return choice;
    } catch (error) {
      if (!(error instanceof NoValueError)) throw error;
      // Another variant may not contain itself, or be small enough.
      unmade ??= error;
    }
  }
  const example = examplesIn(schemas).find((value) => fits(schemas, value));
  if (example !== undefined) return example;
  if (unmade !== undefined) throw unmade;
  const [sample] = fc.sample(anyValue(schemas), { seed: 0, numRuns: 1 });
  return sample ?? null;
}

function plainCandidates(layers: readonly Node[]): Value[] {
  const types = typesOf(layers);
  return types.length === 0 ? [false, null] : types.flatMap((type) => plainOfType(type, layers));
}

/** @throws {NoValueError} if a value with so many parts is not made */
function requireMakeable(least: number, unit: keyof typeof maxMade): void {
  if (least > maxMade[unit])
    throw new NoValueError(`each value has ${least} ${unit} or more, and at most ${maxMade[unit]} are made.`);
}

function plainOfType(type: string, layers: readonly Node[]): Value[] {
  switch (type) {
    case 'integer':
    case 'number': {
      const { least, step } = integerBounds(layers);
      return [0n, 1n, ...(step > 1n ? [(least / step) * step, (least / step + 1n) * step] : [least])];
    }
    case 'string': {
      const formatted = formattedTexts(layers);
      if (formatted !== undefined) return [...formatted];
      const length = Math.max(1, countBounds(layers, ['minLength', 'maxLength']).least);
      requireMakeable(length, 'characters');
      const texts = ['a', 'A', '0'].map((character) => character.repeat(length));
      return hasUnknownFormat(layers) ? [...examplesIn(layers), ...texts] : texts;
    }
    case 'array': {
      const { least } = countBounds(layers, ['minItems', 'maxItems']);
      requireMakeable(least, 'items');
      const made = Array.from({ length: least }, (_, index) => plainValue(itemSchemas(layers, index)));
      return [made, ...withContained(layers, made)];
    }
    case 'object': {
      const members = neededMembers(layers);
      const required = members.filter((member) => member.required);
      const others = members
        .filter((member) => !member.required)
        .toSorted((one, other) => Number(isLikeReference(one)) - Number(isLikeReference(other)));
      const { least } = countBounds(layers, ['minProperties', 'maxProperties']);
      return [...new Set([required.length, Math.max(required.length, least)])].map((count) =>
        plainMembers([...required, ...others.slice(0, count - required.length)]),
      );
    }
    default:
      return [false, null];
  }
}

/** Makes an object of the plainest values of members. */
export function plainMembers(members: readonly Pick<Member, 'name' | 'schemas'>[]): ValueObject {
  return risingMembers(members, plainValue);
}

/**
 * Makes an object of members. Those that are the plainest dates or times rise from member to member: that something ends
 * after it starts is a rule that no schema can say.
 */
function risingMembers(
  members: readonly Pick<Member, 'name' | 'schemas'>[],
  make: (schemas: readonly Node[]) => Value,
): ValueObject {
  const last = new Map<string, Value>();
  return Object.fromEntries(
    members.map(({ name, schemas }) => {
      const made = make(schemas);
      const format = allLayersOf(schemas).flatMap((layer) => layer.text('format') ?? [])[0] ?? '';
      const before = last.get(format);
      const mayRise = before !== undefined && sameValue(made, plainValue(schemas));
      const later = mayRise ? laterText(format, before, 1) : undefined;
      const value = later !== undefined && fits(schemas, later) ? later : made;
      last.set(format, value);
      return [name, value];
    }),
  );
}

/**
 * Members, and names that are required although nothing describes them: JSON Schema allows any value there. A member whose
 * schema is `false`, as in `else: { properties: { matures_on: false } }`, is not one.
 */
function neededMembers(layers: readonly Node[]): Member[] {
  const described = membersOf(layers).filter(({ schemas }) => schemas.every(({ value }) => value !== false));
  const isDescribed = (name: string): boolean =>
    layers.some((layer) => layer.at('properties', name) !== undefined);
  const required = layers.flatMap((layer) => layer.list('required')).map(({ value }) => String(value));
  const others = [...new Set(required)].filter((name) => !isDescribed(name));
  const rest = layers.flatMap((layer) => layer.at('additionalProperties') ?? []);
  const schemas = rest.filter(({ value }) => typeof value === 'object');
  return [...described, ...others.map((name) => ({ name, schemas, required: true }))];
}

/**
 * The items with as many in front of them as `contains` asks for.
 *
 * @throws {NoValueError} if it asks for too many
 */
function withContained(layers: readonly Node[], items: readonly Value[]): Value[] {
  const needed = layers.flatMap((layer) => {
    const contained = layer.at('contains');
    if (contained === undefined) return [];
    const count = Number(layer.number('minContains') ?? 1);
    requireMakeable(count, 'items');
    return Array.from({ length: count }, () => contained);
  });
  if (needed.length === 0) return [];
  const contained = needed.map((node, index) => plainValue([node, ...itemSchemas(layers, index)]));
  return [[...contained, ...items.slice(contained.length)]];
}

/** Lists the document's own examples of the schemas. */
export function examplesIn(schemas: readonly Node[]): Value[] {
  return allLayersOf(schemas)
    .flatMap((layer) => layer.list('examples'))
    .map(({ value }) => fromYaml(value));
}

/**
 * Makes an example from those of the document, put together from those of the members; the plainest value if
 * there is none.
 *
 * @throws {NoValueError} if none was found
 */
export function exampleValue(schemas: readonly Node[], depth = 0): Value {
  const example = examplesIn(schemas).find((value) => fits(schemas, value));
  if (example !== undefined || depth === deepest) return example ?? plainValue(schemas);
  const layers = allLayersOf(schemas);
  const plain = plainValue(schemas);
  const below = (parts: readonly Node[]): Value => exampleValue(parts, depth + 1);
  if (isArray(plain)) {
    const items = itemSchemas(layers, 0);
    return examplesIn(items).length > 0 ? [below(items)] : plain;
  }
  if (!isObject(plain)) return plain;
  const members = membersOf(layers).filter(
    ({ required, schemas: parts }) => required || examplesIn(parts).length > 0,
  );
  const whole = risingMembers(members, below);
  return fits(schemas, whole) ? whole : plain;
}

/** Lists the values of a schema's own enum. */
export function choices(layer: Node): Value[] {
  return layer.list('enum').map(({ value }) => fromYaml(value));
}

function anyOfType(layers: readonly Node[], depth: number): fc.Arbitrary<Value> {
  const [first, ...others] = variantsOf(layers).map((variant) => anyOfVariant(variant, depth));
  return others.length === 0 && first !== undefined ? first : fc.oneof(...(first ? [first] : []), ...others);
}

function anyOfVariant(layers: readonly Node[], depth: number): fc.Arbitrary<Value> {
  const listed = layers.flatMap(choices);
  if (listed.length > 0) return fc.constantFrom(...listed);
  const types = typesOf(layers);
  if (types.length === 0)
    return fc.oneof(fc.boolean(), fc.bigInt({ min: -interoperable, max: interoperable }), fc.string());
  const [first, ...others] = types.map((type) => anyOfNamedType(type, layers, depth));
  return first === undefined || others.length > 0 ? fc.oneof(...(first ? [first] : []), ...others) : first;
}

function anyOfNamedType(type: string, layers: readonly Node[], depth: number): fc.Arbitrary<Value> {
  switch (type) {
    case 'integer':
      return anyInteger(layers);
    case 'number':
      return fc.oneof(anyInteger(layers), anyFraction(layers));
    case 'string':
      return anyText(layers);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return anyArray(layers, depth);
    case 'object':
      return anyObject(layers, depth);
    default:
      return fc.constant(null);
  }
}

function anyInteger(layers: readonly Node[]): fc.Arbitrary<Value> {
  const { least, most, step } = integerBounds(layers);
  return fc.bigInt({ min: least / step, max: most / step }).map((number) => number * step);
}

/** OpenAPI 3.0.3, "Data Types": a `float` has single precision, so it cannot hold every double. */
function anyFraction(layers: readonly Node[]): fc.Arbitrary<Value> {
  const limits = { noNaN: true, noDefaultInfinity: true };
  const isSingle = layers.some((layer) => layer.text('format') === 'float');
  return (isSingle ? fc.float(limits) : fc.double(limits)).map(toNumber);
}

/** Reads a double as JSON writes it: an integer becomes a bigint, and any other number a Decimal. */
export function toNumber(number: number): Value {
  const text = String(number);
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : new Decimal(text);
}

function anyText(layers: readonly Node[]): fc.Arbitrary<Value> {
  const formatted = formattedTexts(layers);
  if (formatted !== undefined) {
    const isUuid = layers.some((layer) => layer.text('format') === 'uuid');
    return isUuid ? fc.uuid({ version: 4 }) : fc.constantFrom(...formatted);
  }
  const known = hasUnknownFormat(layers) ? plainCandidates(layers).filter((text) => fits(layers, text)) : [];
  if (known.length > 0) return fc.constantFrom(...known.slice(0, 1));
  const patterns = layers.flatMap((layer) => layer.text('pattern') ?? []);
  const unread = patterns.find((pattern) => patternOf(pattern) === undefined);
  if (unread !== undefined) throw new NoValueError(`JavaScript cannot read the pattern ${unread}.`);
  const { least, most } = countBounds(layers, ['minLength', 'maxLength']);
  requireMakeable(least, 'characters');
  const length = { minLength: least, maxLength: Math.min(most ?? 1_000, maxMade.characters) };
  const any = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: anyCharacter, ...length }) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', ...length }) },
    {
      weight: 2,
      arbitrary: fc.string({ unit: fc.constantFrom(...oddTexts.map(([text]) => text)), ...length }),
    },
  );
  // A pattern that few texts match gets texts that are generated from it.
  const usual = fc.sample(any, { seed: 0, numRuns: 20 }).filter((text) => fits(layers, text)).length;
  if (usual >= 5) return any;
  return fc.oneof(...patterns.flatMap((pattern) => anyTextOf(pattern) ?? []), any);
}

function anyArray(layers: readonly Node[], depth: number): fc.Arbitrary<Value> {
  const items = itemSchemas(layers, 0);
  const { least, most } = countBounds(layers, ['minItems', 'maxItems']);
  requireMakeable(least, 'items');
  if (layers.some((layer) => layer.at('prefixItems') !== undefined || layer.at('contains') !== undefined))
    return fc.constant(plainValue(layers));
  if (depth >= deepest && least === 0) return fc.constant([]);
  return fc.array(anyValue(items, depth + 1), {
    minLength: least,
    maxLength: Math.min(most ?? 5, least + 5),
  });
}

function anyObject(layers: readonly Node[], depth: number): fc.Arbitrary<Value> {
  const members = neededMembers(layers).filter(({ required }) => required || depth < deepest);
  return fc.record(
    Object.fromEntries(members.map(({ name, schemas }) => [name, anyValue(schemas, depth + 1)])),
    {
      requiredKeys: members.filter(({ required }) => required).map(({ name }) => name),
    },
  );
}
