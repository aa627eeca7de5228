/**
 * Makes the shortest and the longest texts of a pattern: a server that stores them in too little room fails
 * at the longest.
 *
 * fast-check makes some texts of the pattern. Each is shrunk: one character after the other is left out, as
 * long as the rest still matches. Then it is grown: characters, and groups of two to four, are repeated in
 * place until nothing can be repeated once more. For `^[A-Z]{2}-[0-9]{1,6}$` the shortest texts are like
 * "BJ-7", and the longest are "BJ-777777" and, because large numbers overflow, "ZZ-999999". That takes no
 * theory of regular expressions, but some 1,700 matches.
 */
import fc from 'fast-check';
import { patternOf } from './patterns.js';

/** Without a `maxLength`, texts of this length are long enough. */
const longEnough = 300;
/** Each text is matched once for each of its characters, so longer ones would take minutes. */
const maxGrown = 10_000;
const samplesTried = 40;
/** The lengths of groups, such as `(ab)+`, that are repeated. */
const widestGroups = [1, 2, 3, 4];

/**
 * @param most the most characters of a text
 * @param fits whether a text is of the pattern, and of an allowed length
 * @returns a few texts that fit, of the least and the greatest length and their neighbours, if there are any
 */
export function patternTexts(pattern: string, most = longEnough, fits: (text: string) => boolean): string[] {
  const arbitrary = anyTextOf(pattern);
  if (arbitrary === undefined) return [];
  const made = fc.sample(arbitrary, { seed: 0, numRuns: samplesTried }).map((text) => [...text]);
  const isMatch = (characters: readonly string[]): boolean => fits(characters.join(''));
  const shortest = made
    .filter(isMatch)
    .map((text) => shrunk(text, isMatch))
    .sort((a, b) => a.length - b.length)
    .slice(0, 3);
  const seeds = shortest.length > 0 ? shortest : made.filter(isMatch).slice(0, 3);
  const longest = seeds
    .flatMap((text) => [text, withOther(text, isMatch)])
    .map((text) => grown(text, Math.min(most, maxGrown), isMatch));
  const texts = [...shortest, ...longest.flatMap((text) => [text, ...oneShorter(text, isMatch)])];
  return [...new Set(texts.map((text) => text.join('')))].filter(fits);
}

/** By the pattern. fast-check takes about 5 ms to make one for `[a-z]*`, and each new id asks for one. */
const arbitraries = new Map<string, fc.Arbitrary<string> | undefined>();

/**
 * @returns undefined if fast-check cannot make texts of the pattern: it does not know lookaheads and
 * backreferences
 */
export function anyTextOf(pattern: string): fc.Arbitrary<string> | undefined {
  if (!arbitraries.has(pattern)) arbitraries.set(pattern, makeArbitrary(pattern));
  return arbitraries.get(pattern);
}

function makeArbitrary(pattern: string): fc.Arbitrary<string> | undefined {
  const read = patternOf(pattern)?.expression;
  try {
    // It does not know the flag "i", without which fewer texts match.
    return read && fc.stringMatching(new RegExp(read.source, read.flags.replace('i', '')));
  } catch {
    return undefined;
  }
}

/** Leaves out one character after the other, as long as the rest is still a text of the pattern. */
function shrunk(text: readonly string[], isMatch: (text: readonly string[]) => boolean): readonly string[] {
  for (let index = 0; index < text.length; index++) {
    const rest = text.toSpliced(index, 1);
    if (isMatch(rest)) return shrunk(rest, isMatch);
  }
  return text;
}

/** Repeats characters, or groups of them, in place until none can be repeated once more. */
function grown(
  text: readonly string[],
  most: number,
  isMatch: (text: readonly string[]) => boolean,
): readonly string[] {
  let long = text;
  for (const width of widestGroups) {
    for (let times = Math.floor(most / width); times >= 1; times = Math.floor(times / 2)) {
      for (let index = 0; index + width <= long.length && long.length + times * width <= most; ) {
        const group = long.slice(index, index + width);
        const longer = long.toSpliced(index, 0, ...Array.from({ length: times }, () => group).flat());
        if (isMatch(longer)) long = longer;
        else index++;
      }
    }
  }
  return long;
}

/** Numbers in digits overflow only if the digits are great. */
function withOther(
  text: readonly string[],
  isMatch: (text: readonly string[]) => boolean,
): readonly string[] {
  return text.reduce<readonly string[]>((before, _, index) => {
    const other = ['9', 'z', 'Z'].map((character) => before.with(index, character)).find(isMatch);
    return other ?? before;
  }, text);
}

function oneShorter(
  text: readonly string[],
  isMatch: (text: readonly string[]) => boolean,
): readonly (readonly string[])[] {
  const index = text.findIndex((_, position) => isMatch(text.toSpliced(position, 1)));
  return index < 0 ? [] : [text.toSpliced(index, 1)];
}
