/** Makes values for what the document has no example of, in the form in which a handler answers them. */

import { Node } from '../check/document/node.js';
import { Decimal, isArray, isObject, type Value } from '../check/values/json.js';
import { exampleValue, NoValueError } from '../check/values/valid-values.js';

/**
 * @param schema as the document's parser read it, with references resolved
 * @returns undefined if no value was found that fits
 */
export function sampleOf(schema: unknown): unknown {
  return sampleFor([new Node(withBigints(schema))]);
}

/** @returns an example of the document, or the plainest value; undefined if no value was found that fits */
export function sampleFor(schemas: readonly Node[]): unknown {
  try {
    return plain(exampleValue(schemas));
  } catch (error) {
    // Nothing here can make a text of some patterns: the answer does without it.
    if (error instanceof NoValueError) return undefined;
    throw error;
  }
}

function plain(value: Value): unknown {
  if (value instanceof Decimal) return Number(value.text);
  if (isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

/** Turns integers into bigints, as the checker reads them. */
export function withBigints(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(withBigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withBigints(part)]));
}
