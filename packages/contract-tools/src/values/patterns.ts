/**
 * Reads the regular expressions of documents. JSON Schema recommends the dialect of JavaScript, and many documents have
 * another.
 *
 * A pattern such as `^(a+)+$` takes twice as long for each further character of a text that it does not match: for 40
 * characters, hours. Nothing interrupts a regular expression, so each is asked only for texts of a length that cannot
 * hold the process (ambiguity.ts). What it says of a longer text is unknown, and the report names it.
 */
import { maxLengthOf } from './ambiguity.js';

export class Pattern {
  readonly expression: RegExp;
  /** The longest text that it is asked for, in UTF-16 units; infinity for most patterns. */
  readonly maxLength: number;
  #hasSkipped = false;

  constructor(expression: RegExp) {
    this.expression = expression;
    this.maxLength = maxLengthOf(expression);
  }

  /** Whether a text was too long for it. */
  get hasSkipped(): boolean {
    return this.#hasSkipped;
  }

  /** @returns whether the text matches; undefined if it is too long */
  test(text: string): boolean | undefined {
    if (text.length <= this.maxLength) return this.expression.test(text);
    this.#hasSkipped = true;
    return undefined;
  }
}

const known = new Map<string, Pattern | undefined>();

/** @returns undefined if JavaScript cannot read the pattern */
export function patternOf(text: string): Pattern | undefined {
  if (!known.has(text)) {
    // Java, Python and .NET write the flag in front of the pattern.
    const [, flag = '', rest = ''] = /^(?:\(\?(i)\))?(.*)$/s.exec(text) ?? [];
    const expression = compiled(rest, `u${flag}`) ?? compiled(rest, flag);
    known.set(text, expression && new Pattern(expression));
  }
  return known.get(text);
}

/** JavaScript refuses `[\w-.]` and `\-` with the flag "u", and reads them without it. */
function compiled(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}
