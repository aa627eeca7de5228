/**
 * Reads and writes JSON values without loss. The server reads requests with packages/exact-json/src/json.ts. Answers are
 * read here by JSON.parse and a separate scan, so that a mistake in that reader shows.
 */
import { isUtf8 } from 'node:buffer';
import { visible } from '../../../exact-json/index.js';

export type Value = null | boolean | string | bigint | Decimal | readonly Value[] | ValueObject;

export interface ValueObject {
  readonly [member: string]: Value;
}

/** A JSON number with a fraction or an exponent, as it was written: not an integer, whatever its value. */
export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The bytes are not JSON, or JSON that readers disagree about; the message continues "the body …". */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError';
}

/**
 * A number, or a string with the colon behind it if it names a member. Every string of JSON has its end, and without it
 * in the expression, the rest of another text is looked through once and not once for each quote.
 */
const token = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?[0-9][0-9.eE+-]*)/gs;

/**
 * Reads JSON without loss: an integer becomes a bigint, and any other number a Decimal.
 *
 * @throws {NotJsonError} if the bytes are not JSON in UTF-8, or JSON that readers disagree about: a member
 *   comes twice, or a string has half of a surrogate pair
 */
export function readJson(bytes: Buffer): Value {
  // RFC 8259, section 8.1: JSON that is exchanged is UTF-8.
  if (!isUtf8(bytes)) throw new NotJsonError('is not UTF-8');
  const text = bytes.toString('utf8');
  try {
    JSON.parse(text);
  } catch (error) {
    throw new NotJsonError(`is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  let names = 0;
  // JSON.parse would round numbers, so they become strings with a mark that tells them from other strings.
  const marked = text.replace(token, (all, string?: string, colon?: string) => {
    if (string === undefined) return `"n${all}"`;
    if (colon === undefined) return `"s${string.slice(1)}`;
    names++;
    return all;
  });
  let members = 0;
  const value: Value = JSON.parse(marked, function (this: unknown, _name, part: unknown) {
    if (!Array.isArray(this)) members++;
    return typeof part === 'string' ? unmark(part) : part;
  });
  // JSON.parse calls the reviver for the root as a member of an object of its own. RFC 8259, section 4:
  // readers disagree about an object that names a member twice.
  if (names !== members - 1) throw new NotJsonError('names a member twice');
  return value;
}

function unmark(text: string): Value {
  const rest = text.slice(1);
  // RFC 8259, section 8.2: readers disagree about half of a surrogate pair.
  if (!rest.isWellFormed()) throw new NotJsonError('has half of a surrogate pair in a string');
  if (text[0] === 's') return rest;
  return /^-?[0-9]+$/.test(rest) ? BigInt(rest) : new Decimal(rest);
}

export function writeJson(value: Value): string {
  if (value instanceof Decimal) return value.text;
  if (typeof value === 'bigint') return String(value);
  if (isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${writeJson(part)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/**
 * Compares values. Two Decimals are compared as doubles, so 1.50 is 1.5, and an integer is never a Decimal.
 * The order of members does not matter.
 */
export function sameValue(a: Value, b: Value): boolean {
  if (a instanceof Decimal && b instanceof Decimal) return Number(a.text) === Number(b.text);
  if (isArray(a) && isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index] ?? null));
  }
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => name in b && sameValue(a[name] ?? null, b[name] ?? null))
    );
  }
  return a === b;
}

/**
 * Writes JSON for people: invisible characters are escaped, and a long text is cut.
 *
 * @param longest the most characters to show
 */
export function show(value: Value | undefined, longest = 160): string {
  return value === undefined ? 'nothing' : printable(writeJson(value), longest);
}

export function printable(text: string, longest = 160): string {
  const shown = visible(text);
  return shown.length > longest ? `${shown.slice(0, longest)}… (${text.length} characters)` : shown;
}

export function isObject(value: Value | undefined): value is ValueObject {
  return typeof value === 'object' && value !== null && !isArray(value) && !(value instanceof Decimal);
}

/** @returns undefined if there is no such member, or if the value is not an object */
export function memberOf(value: Value | undefined, name: string): Value | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The members of a body, and those of the objects in it, which may be wrappers, such as "paging". */
export function membersNear(body: Value): [name: string, value: Value][] {
  if (!isObject(body)) return [];
  const within = Object.values(body).flatMap((value) => (isObject(value) ? Object.entries(value) : []));
  return [...Object.entries(body), ...within];
}

/** Array.isArray does not narrow a readonly array. */
export function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** Takes a value of the YAML for JSON. Its integers are bigints already; other numbers become Decimals. */
export function fromYaml(yaml: unknown): Value {
  if (typeof yaml === 'number') return new Decimal(String(yaml));
  if (typeof yaml === 'bigint' || typeof yaml === 'string' || typeof yaml === 'boolean') return yaml;
  if (Array.isArray(yaml)) return yaml.map(fromYaml);
  if (typeof yaml !== 'object' || yaml === null) return null;
  return Object.fromEntries(Object.entries(yaml).map(([name, part]) => [name, fromYaml(part)]));
}
