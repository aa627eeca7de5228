/**
 * Finds patterns that would hold the mock. Nothing interrupts a regular expression, so a text that `^(a+)+$` does not
 * match would keep every other request waiting, for 40 characters for hours. The mock asks each pattern of the document at
 * its start about texts that bring out such a search, under the time limit of ../values/patterns.ts, and does not check one
 * that exceeds it.
 */
import { patternOf } from '../values/patterns.js';

/** Longer than a search can take within the limit if each character doubles it. */
const length = 40;
const usual = ['a', 'A', '0', ' ', '-', '.', '_', '/'];
const maxOwn = 20;

const known = new Map<string, boolean>();

export function isSlowPattern(text: string): boolean {
  const before = known.get(text);
  if (before !== undefined) return before;
  const pattern = patternOf(text);
  const own = [...new Set(text.match(/[\p{L}\p{N}]/gu) ?? [])].slice(0, maxOwn);
  const characters = new Set([...usual, ...own]);
  const isSlow = [...characters].some(
    (one) => pattern?.test(`${one.repeat(length)}\u0001`) === undefined && pattern?.isSlow === true,
  );
  known.set(text, isSlow);
  return isSlow;
}
