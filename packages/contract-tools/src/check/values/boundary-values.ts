/**
 * Makes values at the bounds of a schema. A bound that is off by one shows only there: a server that allows
 * 254 characters instead of 255 takes every usual name. The values are those that the schema names (its least
 * and greatest, the values of an enum, the shortest and longest texts of a pattern), and odd ones that it
 * only allows.
 */

import type { Node } from '../../document/node.js';
import { countBounds, integerBounds, maxMade, typeOf, typesOf } from '../../values/bounds.js';
import { formattedTexts, hasUnknownFormat } from '../../values/formats.js';
import { show, type Value } from '../../values/json.js';
import { allLayersOf, itemSchemas, namesNull } from '../../values/layers.js';
import { wholeTexts, widths } from '../../values/odd-texts.js';
import { patternTexts } from '../../values/pattern-texts.js';
import { patternOf } from '../../values/patterns.js';
import { integerRanges } from '../../values/scalars.js';
import { choices, examplesIn, plainValue, surelyFits, toNumber } from '../../values/valid-values.js';

/** A value, with the reason to try it in a few words. */
export interface Sample {
  readonly value: Value;
  readonly why: string;
  /**
   * Whether the schema names the value, by a bound, a pattern, a format or an enum. It only allows any other.
   */
  readonly isNamed: boolean;
  /** How to make it shorter, if it is long. */
  readonly series?: Series;
}

/** Values that differ only in their length. */
interface Series {
  /** The least length that fits. */
  readonly least: number;
  /** The length of the sample. */
  readonly length: number;
  at(length: number): { readonly value: Value; readonly why: string };
}

/**
 * @param schemas all of which hold for the value
 * @returns values that fit all schemas, one case each; none if the type is unknown
 */
export function boundaryValues(schemas: readonly Node[]): Sample[] {
  const layers = allLayersOf(schemas);
  const samples = [
    ...layers.flatMap(choices).map((value) => ({ value, why: 'a value of the enum', isNamed: true })),
    ...typesOf(layers).flatMap((type) => boundariesOfType(type, layers)),
    ...(layers.every(sendsNull) ? [{ value: null, why: 'null', isNamed: true }] : []),
  ];
  return samples.filter(({ value }) => surelyFits(schemas, value));
}

function boundariesOfType(type: string, layers: readonly Node[]): Sample[] {
  switch (type) {
    case 'integer':
    case 'number':
      return integerBoundaries(layers);
    case 'string': {
      const formatted = formattedTexts(layers) ?? (hasUnknownFormat(layers) ? examplesIn(layers) : undefined);
      if (formatted !== undefined) {
        return formatted.map((value) => ({ value, why: show(value), isNamed: true }));
      }
      const { most } = countBounds(layers, ['minLength', 'maxLength']);
      return [
        // A server that counts bytes or units of UTF-16 shows at the greatest length.
        ...lengths(layers).flatMap(({ length, isNamed }) =>
          widths
            .filter((character) => character === 'a' || length === most)
            .map((character) => textOf(character, layers, length, isNamed)),
        ),
        ...wholeTexts.map(([value, why]) => ({ value, why, isNamed: false })),
        ...layers
          .flatMap((layer) => layer.text('pattern') ?? [])
          .flatMap((pattern) => textsOf(pattern, layers))
          .map((value) => ({ value, why: `${[...value].length} characters of the pattern`, isNamed: true })),
      ];
    }
    case 'boolean':
      return [true, false].map((value) => ({ value, why: String(value), isNamed: true }));
    case 'array':
      return arrayBoundaries(layers);
    default:
      return [];
  }
}

function textOf(character: string, layers: readonly Node[], length: number, isNamed: boolean): Sample {
  const at = (count: number) => ({
    value: character.repeat(count),
    why: `${count} characters "${character}"`,
  });
  const { least } = countBounds(layers, ['minLength', 'maxLength']);
  return { ...at(length), isNamed, series: { least, length, at } };
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
      return isLong && patternOf(pattern)?.test(text) === true;
    });
  patternTextsMade.set(key, made);
  return made;
}

/** Makes arrays with an item at each of its bounds, and with the least and the greatest number of items. */
function arrayBoundaries(layers: readonly Node[]): Sample[] {
  const schemas = itemSchemas(layers, 0);
  const items = boundaryValues(schemas);
  const { least, most } = countBounds(layers, ['minItems', 'maxItems']);
  if (least > maxMade.items) return [];
  const rest = items.slice(0, Math.max(0, least - 1)).map(({ value }) => value);
  const counts = [...new Set([least, most ?? least + 1])].filter((count) => count <= maxMade.itemsAtBound);
  return [
    ...items.map(({ value, why, isNamed }) => ({ value: [value, ...rest], why: `an item: ${why}`, isNamed })),
    ...counts.flatMap((count) => [
      {
        value: Array.from({ length: count }, () => plainValue(schemas)),
        why: `${count} items, all the same`,
        isNamed: false,
      },
      {
        value: items.slice(0, count).map(({ value }) => value),
        why: `${count} items`,
        isNamed: has(layers, count === most ? 'maxItems' : 'minItems'),
      },
    ]),
  ];
}

function integerBoundaries(layers: readonly Node[]): Sample[] {
  const { least, most, step } = integerBounds(layers);
  const powers = [31n, 32n, 53n].map((bits) => 2n ** bits);
  const [first, last] = [multipleFrom(least, step), multipleFrom(most - step + 1n, step)];
  const lowest = new Set([least, least + 1n, first, first + step]);
  const highest = new Set([most - 1n, most, last - step, last]);
  const others = powers.flatMap((power) => [power - 1n, power, power + 1n, -power, -power - 1n]);
  const numbers = new Set([...lowest, ...highest, 0n, 1n, -1n, ...others]);
  const hasRange = layers.some((layer) => integerRanges.has(layer.text('format') ?? ''));
  const [hasLeast, hasMost] = [
    hasRange || has(layers, 'minimum') || has(layers, 'exclusiveMinimum'),
    hasRange || has(layers, 'maximum') || has(layers, 'exclusiveMaximum'),
  ];
  const isNamed = (value: bigint): boolean =>
    (hasLeast && (hasMost || lowest.has(value))) || (hasMost && highest.has(value));
  return [
    ...[...numbers]
      .filter((value) => value >= least && value <= most)
      .map((value) => ({ value, why: show(value), isNamed: isNamed(value) })),
    ...(typeOf(layers) === 'number' ? fractionsAtBounds(layers) : []).map((value) => ({
      value,
      why: show(value),
      isNamed: true,
    })),
  ];
}

function has(layers: readonly Node[], keyword: string): boolean {
  return layers.some((layer) => layer.at(keyword) !== undefined);
}

/** An enum without null contradicts a type that admits null, and servers read it either way. */
function sendsNull(layer: Node): boolean {
  return namesNull(layer) && layer.at('enum') === undefined;
}

/** The least multiple that is not below a bound. */
function multipleFrom(bound: bigint, step: bigint): bigint {
  const rest = ((bound % step) + step) % step;
  return rest === 0n ? bound : bound + step - rest;
}

/** Returns the bounds of numbers that need not be integers, and what lies right within. */
function fractionsAtBounds(layers: readonly Node[]): Value[] {
  return layers.flatMap((layer) =>
    (['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const).flatMap((keyword) => {
      const bound = layer.number(keyword);
      if (bound === undefined) return [];
      const inwards = keyword.toLowerCase().endsWith('minimum') ? 1 : -1;
      const near = Number(bound) + inwards * 2 ** -10;
      return [Number(bound), near].map(toNumber);
    }),
  );
}

function lengths(layers: readonly Node[]): { readonly length: number; readonly isNamed: boolean }[] {
  const { least, most } = countBounds(layers, ['minLength', 'maxLength']);
  const hasLeast = has(layers, 'minLength');
  const all = new Map([least, least + 1].map((length) => [length, hasLeast]));
  if (most !== undefined) for (const length of [most - 1, most]) all.set(length, true);
  return Array.from(all, ([length, isNamed]) => ({ length, isNamed })).filter(
    ({ length }) => length <= maxMade.characters,
  );
}
