/**
 * Reads the regular expressions of documents, and asks them under a time limit. JSON Schema recommends the
 * dialect of JavaScript, and many documents have another.
 *
 * A pattern such as `^(a+)+$` takes twice as long for each further character of a text that it does not match:
 * for 40 characters, hours. Nobody can interrupt a regular expression but the machine that runs it, so a
 * pattern that may be one of these runs in node:vm, which can. One that has once taken too long is slow, and is
 * not asked again: what it says of a text is unknown, and the report names it.
 *
 * A pattern with one quantifier, which is not that of a group, takes at most the square of a text's length, and
 * a short text takes few steps whatever the pattern. These run without a limit, which costs 0.1 ms each time.
 */
import { createContext, Script } from 'node:vm';

const maxMs = 500;
const shortText = 12;

export class Pattern {
  readonly expression: RegExp;
  /** Whether a text may take it longer than the square of the text's length, as far as its form tells. */
  readonly mayBacktrack: boolean;
  #isSlow = false;

  constructor(expression: RegExp) {
    this.expression = expression;
    this.mayBacktrack = /\)[*+{]|[*+?}].*[*+?}]/s.test(expression.source);
  }

  /** Whether a text has taken it too long. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** @returns whether the text matches; undefined if that takes too long */
  test(text: string): boolean | undefined {
    if (this.#isSlow) return undefined;
    if (!this.mayBacktrack || text.length <= shortText) return this.expression.test(text);
    const answer = testWithin(maxMs, this.expression, text);
    this.#isSlow = answer === undefined;
    return answer;
  }
}

const asked: { expression: RegExp; text: string } = { expression: /^$/, text: '' };
const context = createContext(asked);
const question = new Script('expression.test(text)');

/** @returns undefined if it takes longer */
function testWithin(timeout: number, expression: RegExp, text: string): boolean | undefined {
  Object.assign(asked, { expression, text });
  try {
    return question.runInContext(context, { timeout }) === true;
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  }
}

/** The error belongs to the context, so it is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
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
