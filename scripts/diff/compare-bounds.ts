import { type Bound, type BoundKeyword, boundKeywords, compareBounds, type Limit } from './bounds.js';
import type { Difference } from './change.js';
import {
  compareDecimals,
  type Decimal,
  decimal,
  decimalText,
  floor,
  isMultiple,
  negated,
} from './decimal.js';
import type { Node } from './node.js';
import type { Shape } from './shape.js';

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
    const at = placeOf(before, after) ?? next.node;
    const what = `${keyword.keyword} ${boundText(before, keyword)} → ${boundText(after, keyword)}`;
    return order === 0 ? [] : [{ effect: order < 0 ? 'wider' : 'narrower', at, what }];
  });
}

/** What a bound comes to, with what is true without it; `other` is the schema that it is compared with. */
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

/** Less than 0 where the first is tighter; no limit is the loosest. */
function compareLimits(a: Limit | undefined, b: Limit | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareBounds(a, b);
}

/** In the new contract where the keyword is there. */
function placeOf(before: Bound | undefined, after: Bound | undefined): Node | undefined {
  if (before === undefined || after === undefined) return after?.at ?? before?.at;
  const moved = compareDecimals(before.value, after.value) !== 0;
  return moved ? after.at : (after.exclusiveAt ?? before.exclusiveAt ?? after.at);
}

function boundText(bound: Bound | undefined, { lower }: BoundKeyword): string {
  if (bound === undefined) return 'none';
  const text = decimalText(lower ? negated(bound.value) : bound.value);
  return bound.exclusive ? `${text} (exclusive)` : text;
}
