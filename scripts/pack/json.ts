/**
 * Writes and reads JSON without losing a digit of an integer. This file is part of the contract's npm package,
 * and imports nothing. Other clients take `writeJson` as their serializer of bodies.
 *
 * `JSON.stringify` throws at a bigint, and `JSON.parse` makes a double of every number: 9007199254740993
 * becomes 9007199254740992. Generated clients call both. The newest engines of JavaScript can do better
 * (`JSON.rawJSON`, and the source text that `JSON.parse` hands to its reviver), but that of Node.js 20 cannot.
 *
 * So `readJson` turns each integer beyond ±(2^53−1) into a string that begins with U+0000, which the reviver
 * of `JSON.parse` knows again. A string of the text that begins with U+0000 gets another one before it, so
 * that it is not taken for an integer:
 *
 *     [7, 9007199254740993, "\u0000a"]  →  [7, "\u00009007199254740993", "\u0000\u0000a"]
 *                                       →  [7, 9007199254740993n, "\u0000a"]
 *
 * The text is parsed once before, which proves that it is JSON: the pattern that finds its strings and numbers
 * takes quadratic time only for what is not. If the text has no integer of 16 digits, that was all.
 */

/** Writes JSON as `JSON.stringify` does, and each bigint as a number; `null` for what JSON does not have. */
export function writeJson(value: unknown): string {
  return textOf(value) ?? 'null';
}

/** @returns undefined for what JSON does not have, such as undefined and functions */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`;
  // A Date, for example, has a toJSON.
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = textOf(member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join()}}`;
}

/** A string with the colon behind it, if it is the name of a member, or a number. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const mark = '\u0000';
const writtenMark = JSON.stringify(mark).slice(1, -1);

/**
 * Reads JSON as `JSON.parse` does, but an integer beyond ±(2^53−1) becomes a bigint, exact to the last digit.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function readJson(text: string): unknown {
  const rounded: unknown = JSON.parse(text);
  if (!/\d{16}/.test(text)) return rounded;
  const marked = text.replace(stringOrNumber, (token: string, colon: string | undefined) => {
    if (colon !== undefined) return token;
    if (!token.startsWith('"')) return isRounded(token) ? `"${writtenMark}${token}"` : token;
    return token.startsWith(writtenMark, 1) ? `"${writtenMark}${token.slice(1)}` : token;
  });
  return JSON.parse(marked, (_name, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(mark)) return value;
    return isInteger(value.slice(1)) ? BigInt(value.slice(1)) : value.slice(1);
  });
}

const isInteger = (text: string): boolean => /^-?\d+$/.test(text);
const isRounded = (token: string): boolean => isInteger(token) && !Number.isSafeInteger(Number(token));
