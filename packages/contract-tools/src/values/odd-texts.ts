type OddText = readonly [text: string, why: string];

/** Lists texts that programs often get wrong if there is nothing beside them, each for a reason of its own. */
export const wholeTexts: readonly OddText[] = [
  [' ', 'a space alone'],
  [' x ', 'spaces around'],
  ['\t\n\r', 'white space that JSON escapes'],
  ['null', 'the word null'],
  ['undefined', 'the word undefined'],
  ['true', 'the word true'],
  ['0', 'a digit'],
  ['007', 'digits that a number would lose'],
  ['1e400', 'a number that no double holds'],
  ['__proto__', 'a member that JavaScript objects have'],
];

/** The same, and those that programs get wrong wherever they stand. */
export const oddTexts: readonly OddText[] = [
  ...wholeTexts,
  ['\u0001', 'a control character'],
  ['\u001f', 'the last control character of ASCII'],
  ['\u007f', 'DEL'],
  ['\u0080', 'the first character of two bytes'],
  ['\u00a0', 'a no-break space'],
  ['ÿ', 'the last character of Latin-1'],
  ['e\u0301', 'a letter and its accent apart, which normalisation would join'],
  ['\u212b', 'the Ångström sign, which normalisation would replace'],
  ['ß', 'a letter that gets longer in upper case'],
  ['İ', 'a letter that gets longer in lower case'],
  ['\u200b\u200d', 'characters of no width'],
  ['\u202eabc', 'a change of direction'],
  ['\u2028\u2029', 'line ends of JavaScript'],
  ['\ud7ff\ue000', 'the neighbours of the surrogates'],
  ['\ufeffx', 'a byte order mark'],
  ['\ufffd', 'the replacement character'],
  ['\uffff', 'a noncharacter'],
  ['\u{10000}', 'the first character of four bytes'],
  ['🌵', 'an emoji'],
  ['👩‍🌾', 'an emoji of several characters'],
  ['\u{10ffff}', 'the last character of Unicode'],
  ['"\\/\b\f', 'characters that JSON escapes'],
  ["'; DROP TABLE x; --", 'a quotation mark of SQL'],
  ['%00%_', 'wildcards of SQL and percent-encoding'],
  ['\\u0000', 'an escape that is none'],
  ['<script>&amp;', 'markup'],
  ['{{x}}#{x}', 'a template'],
  ['a,b;c\td', 'what separates values elsewhere'],
];

/** Characters of one, two, three and four bytes in UTF-8; the last has two units in UTF-16. */
export const widths = ['a', 'é', '中', '🌵'] as const;
