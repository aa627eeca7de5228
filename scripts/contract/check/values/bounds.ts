/** Finds the narrowest bounds of several schemas that all hold for one value. */
import type { Node } from '../document/node.js';
import { integerRanges } from './schema.js';

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
    if (range) lower.push(range[0]);
    if (range) upper.push(range[1]);
    if (minimum !== undefined) lower.push(ceiling(minimum) + (layer.flag('exclusiveMinimum') ? 1n : 0n));
    if (maximum !== undefined) upper.push(floor(maximum) - (layer.flag('exclusiveMaximum') ? 1n : 0n));
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
 * @returns the type that one of the schemas names, or that follows from its `properties`; undefined if none
 *   does
 */
export function typeOf(layers: readonly Node[]): string | undefined {
  const [type] = layers.flatMap((layer) => layer.text('type') ?? []);
  return type ?? (layers.some((layer) => layer.at('properties')) ? 'object' : undefined);
}
