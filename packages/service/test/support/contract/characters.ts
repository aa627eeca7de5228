import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode. `fc.string({ unit: 'binary' })` has the same ones, but first makes a map of all of them,
 * which takes a second.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((nth) => String.fromCodePoint(nth < surrogates.first ? nth : nth + surrogates.count));
