/** Values that fit a schema: the smallest, those at the bounds, and any. */
import fc from 'fast-check';
import { countBounds, integerBounds, interoperable, typeOf } from './bounds.js';
import { Decimal, show, type Value } from './json.js';
import type { Node } from './node.js';
import { oddTexts, widths } from './odd-text.js';
import { anyTextOf, patternTexts } from './pattern-texts.js';
import { regExpOf } from './patterns.js';
import { layersOf, misfitsOf } from './schema.js';
import { membersOf } from './sites.js';
import { anyFormattedText, formattedTexts } from './text-formats.js';

/** A value, with the reason to try it in a few words. */
interface Sample {
  readonly value: Value;
  readonly why: string;
}

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

const rejectionsBeforeGivingUp = 10_000;
/** A schema can contain itself; below this depth, values have only what is required. */
const deepest = 4;

export function fits(schemas: readonly Node[], value: Value): boolean {
  return schemas.every((schema) => misfitsOf(schema, value).length === 0);
}

/** Any value that fits all of the schemas. */
export function anyValue(schemas: readonly Node[], depth = 0): fc.Arbitrary<Value> {
  const layers = schemas.flatMap(layersOf);
  let rejected = 0;
  return anyOfType(layers, depth).filter((value) => {
    if (fits(schemas, value)) {
      rejected = 0;
      return true;
    }
    if (++rejected < rejectionsBeforeGivingUp) return false;
    throw new NoValueError(`no value was found that fits the schema at ${schemas[0]?.path.join('/')}.`);
  });
}

/** The plainest value: no optional members, and no more characters or items than required. */
export function plainValue(schemas: readonly Node[]): Value {
  const layers = schemas.flatMap(layersOf);
  const choice = [...layers.flatMap(choices), ...plainCandidates(layers)].find((value) =>
    fits(schemas, value),
  );
  if (choice !== undefined) return choice;
  const [sample] = fc.sample(anyValue(schemas), { seed: 0, numRuns: 1 });
  return sample ?? null;
}

function plainCandidates(layers: readonly Node[]): Value[] {
  switch (typeOf(layers)) {
    case 'integer':
    case 'number': {
      const { least, step } = integerBounds(layers);
      return [0n, 1n, ...(step > 1n ? [(least / step) * step, (least / step + 1n) * step] : [least])];
    }
    case 'string': {
      const formatted = formattedTexts(layers);
      if (formatted !== undefined) return [...formatted];
      const length = Math.max(1, countBounds(layers, ['minLength', 'maxLength']).least);
      return ['a', 'A', '0'].map((character) => character.repeat(length));
    }
    case 'array':
      return [[]];
    case 'object':
      return [
        Object.fromEntries(
          membersOf(layers)
            .filter(({ required }) => required)
            .map(({ name, schemas }) => [name, plainValue(schemas)]),
        ),
      ];
    default:
      return [false, null];
  }
}

/** Values at the bounds of every keyword, one case each. */
export function boundaryValues(schemas: readonly Node[]): Sample[] {
  const layers = schemas.flatMap(layersOf);
  const samples = [
    ...layers.flatMap(choices).map((value) => ({ value, why: 'a value of the enum' })),
    ...boundariesOfType(layers),
    ...(layers.every((layer) => layer.flag('nullable')) ? [{ value: null, why: 'null' }] : []),
  ];
  return samples.filter(({ value }) => fits(schemas, value));
}

function boundariesOfType(layers: readonly Node[]): Sample[] {
  switch (typeOf(layers)) {
    case 'integer':
    case 'number':
      return integerBoundaries(layers);
    case 'string': {
      const formatted = formattedTexts(layers);
      if (formatted !== undefined) return formatted.map((value) => ({ value, why: `"${value}"` }));
      return [
        ...lengths(layers).flatMap((length) =>
          widths.map((character) => ({
            value: character.repeat(length),
            why: `${length} characters "${character}"`,
          })),
        ),
        ...oddTexts.map(([value, why]) => ({ value, why })),
        ...layers
          .flatMap((layer) => layer.text('pattern') ?? [])
          .flatMap((pattern) => textsOf(pattern, layers))
          .map((value) => ({ value, why: `${[...value].length} characters of the pattern` })),
      ];
    }
    case 'boolean':
      return [true, false].map((value) => ({ value, why: String(value) }));
    case 'array':
      return arrayBoundaries(layers);
    default:
      return [];
  }
}

/** Many operations share a schema, and its texts are not made twice. */
const patternTextsMade = new Map<string, readonly string[]>();

function textsOf(pattern: string, layers: readonly Node[]): readonly string[] {
  const bounds = countBounds(layers, ['minLength', 'maxLength']);
  const key = `${pattern} ${bounds.least} ${bounds.most}`;
  const made =
    patternTextsMade.get(key) ??
    patternTexts(pattern, bounds.most, (text) => {
      const { length } = [...text];
      const isLong = length >= bounds.least && length <= (bounds.most ?? length);
      return isLong && regExpOf(pattern)?.test(text) === true;
    });
  patternTextsMade.set(key, made);
  return made;
}

/** Each item at its bounds, and the least and the greatest number of items. */
function arrayBoundaries(layers: readonly Node[]): Sample[] {
  const schemas = layers.flatMap((layer) => layer.at('items') ?? []);
  const items = boundaryValues(schemas);
  const { least, most } = countBounds(layers, ['minItems', 'maxItems']);
  const rest = items.slice(0, Math.max(0, least - 1)).map(({ value }) => value);
  const counts = [...new Set([least, most ?? least + 1])].filter((count) => count <= 50);
  return [
    ...items.map(({ value, why }) => ({ value: [value, ...rest], why: `an item: ${why}` })),
    ...counts.flatMap((count) => [
      {
        value: Array.from({ length: count }, () => plainValue(schemas)),
        why: `${count} items, all the same`,
      },
      { value: items.slice(0, count).map(({ value }) => value), why: `${count} items` },
    ]),
  ];
}

function integerBoundaries(layers: readonly Node[]): Sample[] {
  const { least, most, step } = integerBounds(layers);
  const powers = [31n, 32n, 53n].map((bits) => 2n ** bits);
  const [first, last] = [multipleFrom(least, step), multipleFrom(most - step + 1n, step)];
  const numbers = new Set([
    ...[least, least + 1n, most - 1n, most, 0n, 1n, -1n],
    ...[first, first + step, last - step, last],
    ...powers.flatMap((power) => [power - 1n, power, power + 1n, -power, -power - 1n]),
  ]);
  return [
    ...[...numbers].filter((value) => value >= least && value <= most),
    ...(typeOf(layers) === 'number' ? fractionsAtBounds(layers) : []),
  ].map((value) => ({ value, why: show(value) }));
}

/** The least multiple that is not below a bound. */
function multipleFrom(bound: bigint, step: bigint): bigint {
  const rest = ((bound % step) + step) % step;
  return rest === 0n ? bound : bound + step - rest;
}

/** The bounds of numbers that are not integers, and what lies right within. */
function fractionsAtBounds(layers: readonly Node[]): Value[] {
  return layers.flatMap((layer) =>
    (['minimum', 'maximum'] as const).flatMap((keyword) => {
      const bound = layer.number(keyword);
      if (bound === undefined) return [];
      const inwards = keyword === 'minimum' ? 1 : -1;
      const near = Number(bound) + inwards * 2 ** -10;
      return [Number(bound), near].map(toNumber);
    }),
  );
}

function lengths(layers: readonly Node[]): number[] {
  const { least, most } = countBounds(layers, ['minLength', 'maxLength']);
  return [...new Set([least, least + 1, ...(most === undefined ? [] : [most - 1, most])])];
}

function choices(layer: Node): Value[] {
  // The YAML's scalars are Values, except for fractions.
  return layer
    .list('enum')
    .map(({ value }) => (typeof value === 'number' ? new Decimal(String(value)) : scalar(value)));
}

function scalar(value: unknown): Value {
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean' ? value : null;
}

function anyOfType(layers: readonly Node[], depth: number): fc.Arbitrary<Value> {
  const listed = layers.flatMap(choices);
  if (listed.length > 0) return fc.constantFrom(...listed);
  const branches = layers.flatMap((layer) => [...layer.list('oneOf'), ...layer.list('anyOf')]);
  const type = typeOf(layers);
  if (type === undefined && branches.length > 0)
    return fc.oneof(...branches.map((branch) => anyValue([branch], depth + 1)));
  switch (type) {
    case 'integer':
      return anyInteger(layers);
    case 'number':
      return fc.oneof(anyInteger(layers), fc.double({ noNaN: true, noDefaultInfinity: true }).map(toNumber));
    case 'string':
      return anyText(layers);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return anyArray(layers, depth);
    case 'object':
      return anyObject(layers, depth);
    default:
      return fc.oneof(fc.boolean(), fc.bigInt({ min: -interoperable, max: interoperable }), fc.string());
  }
}

function anyInteger(layers: readonly Node[]): fc.Arbitrary<Value> {
  const { least, most, step } = integerBounds(layers);
  return fc.bigInt({ min: least / step, max: most / step }).map((number) => number * step);
}

export function toNumber(number: number): Value {
  const text = String(number);
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : new Decimal(text);
}

function anyText(layers: readonly Node[]): fc.Arbitrary<Value> {
  const formatted = anyFormattedText(layers);
  if (formatted !== undefined) return formatted;
  const patterns = layers.flatMap((layer) => layer.text('pattern') ?? []);
  const unread = patterns.find((pattern) => regExpOf(pattern) === undefined);
  if (unread !== undefined) throw new NoValueError(`JavaScript cannot read the pattern ${unread}.`);
  const { least, most } = countBounds(layers, ['minLength', 'maxLength']);
  const length = { minLength: least, maxLength: most ?? 1_000 };
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
  const items = layers.flatMap((layer) => layer.at('items') ?? []);
  const { least, most } = countBounds(layers, ['minItems', 'maxItems']);
  if (depth >= deepest && least === 0) return fc.constant([]);
  return fc.array(anyValue(items, depth + 1), {
    minLength: least,
    maxLength: Math.min(most ?? 5, least + 5),
  });
}

function anyObject(layers: readonly Node[], depth: number): fc.Arbitrary<Value> {
  const members = membersOf(layers).filter(({ required }) => required || depth < deepest);
  return fc.record(
    Object.fromEntries(members.map(({ name, schemas }) => [name, anyValue(schemas, depth + 1)])),
    {
      requiredKeys: members.filter(({ required }) => required).map(({ name }) => name),
    },
  );
}
