/** Finds the narrowest bounds of several schemas that all hold for one value. */
import type { Node } from '../document/node.js';
import { namedTypes } from './layers.js';
import { integerRanges } from './scalars.js';

interface IntegerBounds {
  readonly least: bigint;
  readonly most: bigint;
  /** Every integer that fits is a multiple of this. */
  readonly step: bigint;
}

/**
 * Without bounds or a format, receivers agree only on integers up to this, and down to its negative (RFC
 * 8259, section 6).
 */
export const interoperable = 2n ** 53n - 1n;

/** @returns the bounds; without any, those of the integers on which receivers agree */
export function integerBounds(layers: readonly Node[]): IntegerBounds {
  const lower: bigint[] = [];
  const upper: bigint[] = [];
  for (const layer of layers) {
    const range = integerRanges.get(layer.text('format') ?? '');
    const [minimum, maximum] = [layer.number('minimum'), layer.number('maximum')];
    const [above, below] = [layer.number('exclusiveMinimum'), layer.number('exclusiveMaximum')];
    if (range) lower.push(range[0]);
    if (range) upper.push(range[1]);
    if (minimum !== undefined) lower.push(ceiling(minimum));
    if (maximum !== undefined) upper.push(floor(maximum));
    if (above !== undefined) lower.push(floor(above) + 1n);
    if (below !== undefined) upper.push(ceiling(below) - 1n);
  }
  const steps = layers
    .flatMap((layer) => layer.number('multipleOf') ?? [])
    .filter((n) => Number.isInteger(Number(n)));
  return {
    least: lower.reduce((a, b) => (a > b ? a : b), lower[0] ?? -interoperable),
    most: upper.reduce((a, b) => (a < b ? a : b), upper[0] ?? interoperable),
    step: steps.map((n) => BigInt(n)).reduce((a, b) => (a * b) / gcd(a, b), 1n),
  };
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

function ceiling(bound: bigint | number): bigint {
  return BigInt(typeof bound === 'number' ? Math.ceil(bound) : bound);
}

function floor(bound: bigint | number): bigint {
  return BigInt(typeof bound === 'number' ? Math.floor(bound) : bound);
}

/**
 * No longer text, list or map is made. Many generators write the greatest integer of their language for "no
 * bound", such as `maxItems: 2147483647`, and no memory holds what that asks for.
 */
export const maxMade = {
  ...{ characters: 100_000, items: 10_000 },
  /** How many items a list has that fits and is made to show a bound. */
  itemsAtBound: 50,
} as const;

interface CountBounds {
  readonly least: number;
  readonly most: number | undefined;
}

/**
 * Finds the bounds of a number of characters, items or members.
 *
 * @param keywords the names of the lower and the upper bound, such as `['minLength', 'maxLength']`
 */
export function countBounds(layers: readonly Node[], [low, high]: readonly [string, string]): CountBounds {
  const numbers = (key: string): number[] => layers.flatMap((layer) => layer.number(key) ?? []).map(Number);
  const most = numbers(high);
  return { least: Math.max(0, ...numbers(low)), most: most.length > 0 ? Math.min(...most) : undefined };
}

/**
 * @returns the types besides null that all of the schemas allow; an object, if none names a type and one has
 *   `properties`; none if nothing says which
 */
export function typesOf(layers: readonly Node[]): string[] {
  const named = layers.flatMap((layer) => {
    const types = namedTypes(layer);
    return types === undefined ? [] : [types];
  });
  const [first, ...others] = named;
  if (first === undefined) return layers.some((layer) => layer.at('properties')) ? ['object'] : [];
  const common = others.reduce(allowedByBoth, first);
  // Layers that contradict each other are judged, and nothing fits them.
  const types = common.length > 0 ? common : first;
  return types.length > 1 ? types.filter((type) => type !== 'null') : [...types];
}

/** An integer is a number, too. */
function allowedByBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  const narrowed = (type: string): string[] => {
    if (others.includes(type) || (type === 'integer' && others.includes('number'))) return [type];
    return type === 'number' && others.includes('integer') ? ['integer'] : [];
  };
  return some.flatMap(narrowed);
}

/** @returns the first of the types besides null that all of the schemas allow; undefined if none is named */
export function typeOf(layers: readonly Node[]): string | undefined {
  return typesOf(layers)[0];
}
