/** Makes values for what the document has no example of, in the form in which a handler answers them. */

import {
  Decimal,
  exampleValue,
  isArray,
  isObject,
  type Node,
  NoValueError,
  type Value,
} from '../../contract-tools/index.js';
import { readable } from './readable.js';

/** @returns an example of the document, or a plain value; undefined if no value was found that fits */
export function sampleFor(schemas: readonly Node[]): unknown {
  try {
    return plain(readable(schemas, exampleValue(schemas)));
  } catch (error) {
    // Nothing here can make a text of some patterns: the answer does without it.
    // A schema that requires itself has no value that ends, so the search for one ends with the stack.
    if (error instanceof NoValueError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Writes a value as JSON with all digits of its integers, and its members in their order. */
export function jsonText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`;
}

/** Turns a value of the checker into one that a handler answers. */
export function plain(value: Value): unknown {
  if (value instanceof Decimal) return Number(value.text);
  if (isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}
