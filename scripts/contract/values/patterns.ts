/**
 * Reads the regular expressions of documents. JSON Schema recommends the dialect of JavaScript, and many
 * documents have another.
 */

const known = new Map<string, RegExp | undefined>();

/** @returns undefined if JavaScript cannot read the pattern */
export function regExpOf(pattern: string): RegExp | undefined {
  if (!known.has(pattern)) {
    // Java, Python and .NET write the flag in front of the pattern.
    const [, flag = '', rest = ''] = /^(?:\(\?(i)\))?(.*)$/s.exec(pattern) ?? [];
    known.set(pattern, compiled(rest, `u${flag}`) ?? compiled(rest, flag));
  }
  return known.get(pattern);
}

/** JavaScript refuses `[\w-.]` and `\-` with the flag "u", and reads them without it. */
function compiled(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}
