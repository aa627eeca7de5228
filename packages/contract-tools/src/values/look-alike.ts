/** Tells values apart that look the same when printed, such as "é" in one character and in two. */
import { isArray, isObject, memberOf, type Value, type ValueObject } from './json.js';

/** Letters that look like Latin ones in most fonts (a part of Unicode Technical Standard 39). */
const drawnAlike = new Map<string, string>();
for (const [others, latin] of [
  ['АВЕЅІЈКМНОРСТУХаеѕіјорсух', 'ABESIJKMHOPCTYXaesijopcyx'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο', 'ABEZHIKMNOPTYXo'],
  ['‐‑‒–—−‘’ʼ“”', "------'''\"\""],
] as const)
  for (const [index, other] of [...others].entries()) drawnAlike.set(other, latin.charAt(index));

/** More differences would not help the reader. */
const maxCodePoints = 8;

/** The sentence about a member of a value that is not what it should be. */
export function differs(member: string, expected: ValueObject, found: Value | undefined): string {
  return `"${member}" differs${lookAlike(expected[member], memberOf(found, member))}`;
}

/**
 * @returns where `found` differs from `expected` although it looks like it, as code points: " (U+0065 U+0301
 *   instead of U+00E9)"; nothing if the difference is visible, or if there is none
 */
export function lookAlike(expected: Value | undefined, found: Value | undefined): string {
  if (typeof expected === 'string' && typeof found === 'string') return ofTexts(expected, found);
  if (isArray(expected) && isArray(found))
    return firstOf(expected.map((item, index) => lookAlike(item, found[index])));
  if (isObject(expected) && isObject(found)) {
    return firstOf(Object.entries(expected).map(([name, part]) => lookAlike(part, found[name])));
  }
  return '';
}

function firstOf(explanations: readonly string[]): string {
  return explanations.find((explanation) => explanation !== '') ?? '';
}

function ofTexts(expected: string, found: string): string {
  if (expected === found || appearance(expected) !== appearance(found)) return '';
  const [mine, theirs] = [[...expected], [...found]];
  const begins = mine.findIndex((character, index) => character !== theirs[index]);
  const start = begins < 0 ? mine.length : begins;
  let end = 0;
  while (end < Math.min(mine.length, theirs.length) - start && mine.at(-1 - end) === theirs.at(-1 - end))
    end++;
  const codePoints = (characters: readonly string[]): string => {
    const differing = characters.slice(start, characters.length - end).map(codePoint);
    const more = differing.length > maxCodePoints ? ' …' : '';
    return `${differing.slice(0, maxCodePoints).join(' ') || 'nothing'}${more}`;
  };
  return ` (${codePoints(theirs)} instead of ${codePoints(mine)})`;
}

/** A text as it looks: without differences of composition, of width, or between spaces. */
function appearance(text: string): string {
  return [...text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '')]
    .map((character) => (/\s/u.test(character) ? ' ' : (drawnAlike.get(character) ?? character)))
    .join('');
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}
