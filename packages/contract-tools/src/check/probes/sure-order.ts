/**
 * Compares two values as every server does. Numbers have one order, and texts have many: by code points, by the
 * alphabet of a language, without regard to case or to punctuation. Two texts are compared only if all of these
 * agree.
 */
import type { Value } from '../../values/json.js';

const alphabets = [
  new Intl.Collator('en'),
  new Intl.Collator('en', { ignorePunctuation: true }),
  new Intl.Collator('en', { numeric: true }),
];

/** @returns a negative number, 0 or a positive number; 0 also if servers may disagree */
export function compareSurely(one: Value, other: Value): number {
  if (typeof one === 'bigint' && typeof other === 'bigint') return one < other ? -1 : one > other ? 1 : 0;
  if (typeof one !== 'string' || typeof other !== 'string') return 0;
  const byCodePoints = Buffer.compare(Buffer.from(one), Buffer.from(other));
  const signs = alphabets.map((alphabet) => Math.sign(alphabet.compare(one, other)));
  return signs.every((sign) => sign === byCodePoints) ? byCodePoints : 0;
}
