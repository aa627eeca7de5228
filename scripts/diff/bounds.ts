import { compareDecimals, type Decimal, decimal, negated } from './decimal.js';
import type { Node } from './node.js';

/**
 * The tightest bound for each keyword. A lower bound is kept as the upper bound of the negated value:
 * `minimum: 3` as "at most -3", so that the lesser is always the tighter.
 */
export type Bounds = ReadonlyMap<string, Bound>;

export interface Bound {
  readonly value: Decimal;
  /** Whether the value itself is excluded. */
  readonly exclusive: boolean;
  readonly at: Node;
  /** The node that says whether the value itself is excluded. */
  readonly exclusiveAt: Node | undefined;
}

export const boundKeywords = [
  { keyword: 'minimum', lower: true, type: 'integer' },
  { keyword: 'maximum', lower: false, type: 'integer' },
  { keyword: 'minLength', lower: true, type: 'string' },
  { keyword: 'maxLength', lower: false, type: 'string' },
  { keyword: 'minItems', lower: true, type: 'array' },
  { keyword: 'maxItems', lower: false, type: 'array' },
  { keyword: 'minProperties', lower: true, type: 'object' },
  { keyword: 'maxProperties', lower: false, type: 'object' },
] as const;

export type BoundKeyword = (typeof boundKeywords)[number];

export function boundsOf(parts: readonly Node[]): Bounds {
  return new Map(
    boundKeywords.flatMap(({ keyword, lower }) => {
      const [tightest] = parts.flatMap((part) => ownBound(part, keyword, lower)).sort(compareBounds);
      return tightest === undefined ? [] : [[keyword, tightest] as const];
    }),
  );
}

function ownBound(schema: Node, keyword: string, lower: boolean): Bound[] {
  const at = schema.get(keyword);
  const digits = schema.digits(keyword);
  if (at === undefined || digits === undefined) return [];
  const exclusiveKeyword = `exclusive${keyword.charAt(0).toUpperCase()}${keyword.slice(1)}`;
  const value = decimal(digits);
  return [
    {
      value: lower ? negated(value) : value,
      exclusive: schema.is(exclusiveKeyword),
      at,
      exclusiveAt: schema.get(exclusiveKeyword),
    },
  ];
}

/** How far values go. */
export type Limit = Pick<Bound, 'value' | 'exclusive'>;

/** Less than 0 where the first is tighter. */
export function compareBounds(a: Limit, b: Limit): number {
  return compareDecimals(a.value, b.value) || Number(b.exclusive) - Number(a.exclusive);
}
