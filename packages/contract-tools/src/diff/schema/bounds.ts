/** Compares how long, how many and how large values may be, such as `maxLength` and `minimum`. */

import {
  compareDecimals,
  type Decimal,
  decimal,
  decimalText,
  floor,
  isMultiple,
  negated,
} from '../../base/decimal.js';
import type { Node } from '../../document/node.js';
import type { Difference } from '../change.js';
import { kebab } from '../ids.js';
import { digitsOf } from '../values.js';
import type { Bound, Bounds, Shape } from './shape-types.js';

const boundKeywords = [
  { keyword: 'minimum', lower: true, type: 'integer' },
  { keyword: 'maximum', lower: false, type: 'integer' },
  { keyword: 'minLength', lower: true, type: 'string' },
  { keyword: 'maxLength', lower: false, type: 'string' },
  { keyword: 'minItems', lower: true, type: 'array' },
  { keyword: 'maxItems', lower: false, type: 'array' },
  { keyword: 'minProperties', lower: true, type: 'object' },
  { keyword: 'maxProperties', lower: false, type: 'object' },
] as const;

type BoundKeyword = (typeof boundKeywords)[number];

/**
 * Finds the tightest bound for each keyword, of all schemas that hold for one value.
 *
 * @throws {RangeError} if a bound is not a finite number
 */
export function boundsOf(parts: readonly Node[]): Bounds {
  return new Map(
    boundKeywords.flatMap(({ keyword, lower }) => {
      const [tightest] = parts.flatMap((part) => ownBounds(part, keyword, lower)).sort(compareBounds);
      return tightest === undefined ? [] : [[keyword, tightest] as const];
    }),
  );
}

/** Finds the bounds of a keyword: `minimum` and `exclusiveMinimum` may be there both. */
function ownBounds(schema: Node, keyword: string, lower: boolean): Bound[] {
  const exclusiveKeyword = `exclusive${keyword.charAt(0).toUpperCase()}${keyword.slice(1)}`;
  return [keyword, exclusiveKeyword].flatMap((key) => {
    const at = schema.at(key);
    const number = schema.number(key);
    if (at === undefined || number === undefined) return [];
    const value = decimal(digitsOf(number));
    return [{ value: lower ? negated(value) : value, exclusive: key === exclusiveKeyword, at }];
  });
}

/** The last value that is allowed, or the first one that is not. */
type Limit = Pick<Bound, 'value' | 'exclusive'>;

/** Compares two bounds. The result is less than 0 if the first is tighter. */
function compareBounds(a: Limit, b: Limit): number {
  return compareDecimals(a.value, b.value) || Number(b.exclusive) - Number(a.exclusive);
}

/** The number of bits of an integer format, without that of the sign. */
const bits = new Map([
  ['int32', 31n],
  ['int64', 63n],
]);

export function compareAllBounds(base: Shape, next: Shape): Difference[] {
  return boundKeywords.flatMap((keyword) => {
    const { type } = keyword;
    if (!base.types.value.has(type) || !next.types.value.has(type)) return [];
    const before = base.bounds.get(keyword.keyword);
    const after = next.bounds.get(keyword.keyword);
    const order = compareLimits(limitOf(base, next, keyword), limitOf(next, base, keyword));
    const at = (after ?? before)?.at ?? next.node;
    const what = `${keyword.keyword} ${boundText(before, keyword)} → ${boundText(after, keyword)}`;
    if (order === 0) return [];
    const isTighter = order > 0;
    const isSet = before === undefined && isTighter;
    const isUnset = after === undefined && !isTighter;
    const moved = isTighter === keyword.lower ? 'increased' : 'decreased';
    return [{ kind: `${kebab(keyword.keyword)}-${isSet ? 'added' : isUnset ? 'removed' : moved}`, at, what }];
  });
}

/**
 * Finds the limit that really holds: the bound, or a tighter one that follows from the type or the format. No
 * length is below 0, and no int32 is above 2^31 - 1.
 *
 * @param other the shape that this one is compared with
 */
function limitOf(shape: Shape, other: Shape, { keyword, lower, type }: BoundKeyword): Limit | undefined {
  const bound = shape.bounds.get(keyword);
  if (type !== 'integer') return bound ?? (lower ? { value: decimal('0'), exclusive: false } : undefined);
  if (shape.types.value.has('fraction')) return bound;
  const whole = bound && { value: wholeLimit(bound), exclusive: false };
  // A change of format is told as such; what follows from it is not told again.
  const implied = formatsOf(shape) === formatsOf(other) ? impliedLimit(shape, lower) : undefined;
  return compareLimits(whole, implied) < 0 ? whole : (implied ?? whole);
}

function wholeLimit({ value, exclusive }: Bound): Decimal {
  const whole = floor(value);
  const outside = exclusive && isMultiple(value, decimal('1'));
  return outside ? { digits: whole.digits - 1n, scale: 0 } : whole;
}

function impliedLimit(shape: Shape, lower: boolean): Limit | undefined {
  const [size] = shape.formats.flatMap(({ value }) => bits.get(value) ?? []);
  if (size === undefined) return undefined;
  return { value: { digits: 2n ** size - (lower ? 0n : 1n), scale: 0 }, exclusive: false };
}

function formatsOf({ formats }: Shape): string {
  return formats.map(({ value }) => value).join();
}

/** Compares two limits. The result is less than 0 if the first is tighter; no limit is the loosest. */
function compareLimits(a: Limit | undefined, b: Limit | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareBounds(a, b);
}

function boundText(bound: Bound | undefined, { lower }: BoundKeyword): string {
  if (bound === undefined) return 'none';
  const text = decimalText(lower ? negated(bound.value) : bound.value);
  return bound.exclusive ? `${text} (exclusive)` : text;
}
