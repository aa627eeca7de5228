/**
 * Makes examples readable: where the document has no example of a text, the plainest one would be "a" in every
 * member. The name of the member, in words, says what stands there: `firstName` is "First name".
 */
import {
  allLayersOf,
  examplesIn,
  fits,
  isArray,
  isObject,
  itemSchemas,
  membersOf,
  type Node,
  plainValue,
  type Value,
} from '../../contract-tools/index.js';

/** @returns the value with examples, or names of members, in place of plain texts, wherever the schemas allow that */
export function readable(schemas: readonly Node[], value: Value, name = ''): Value {
  const layers = allLayersOf(schemas);
  if (typeof value === 'string') return readableText(schemas, value, name);
  if (isArray(value)) {
    const items = value.map((item, index) => readable(itemSchemas(layers, index), item, name));
    return fits(schemas, items) ? items : value;
  }
  if (!isObject(value)) return value;
  const members = new Map(membersOf(layers).map((member) => [member.name, member.schemas]));
  const whole = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, readable(members.get(key) ?? [], part, key)]),
  );
  return fits(schemas, whole) ? whole : value;
}

function readableText(schemas: readonly Node[], plain: string, name: string): string {
  const words = wordsOf(name);
  if (words === '' || schemas.length === 0 || plainValue(schemas) !== plain) return plain;
  const example = examplesIn(schemas).find((one) => fits(schemas, one));
  if (typeof example === 'string') return example;
  // A text that must be longer repeats the words.
  const text = words.padEnd(plain.length, ` ${words.toLowerCase()}`);
  return fits(schemas, text) ? text : plain;
}

function wordsOf(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .split(/[^A-Za-z0-9]/)
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
