/** Knows which texts a request can carry as a parameter, and makes the plainest one. */
import fc from 'fast-check';
import type { Parameter } from '../../document/operations.js';
import { isArray, type Value } from '../../values/json.js';
import { anyValue, NoValueError, plainValue } from '../../values/valid-values.js';
import { joined, type Text, writeText } from './parameter-text.js';

/** The number of values that are made in search of one that a request can carry. */
const samplesTried = 100;

/**
 * Whether a request can have the text in this place. A header is printable US-ASCII without spaces around it
 * (RFC 9110, section 5.5), and no server has to read a longer target than this (section 4.1). In the path, a
 * text must leave the path as it is (`isSegment`).
 */
export function canCarry({ in: place }: Parameter, text: Text): boolean {
  const written = joined(text);
  if (encodeURIComponent(written).length > 6_000) return false;
  if (place === 'path') return isSegment(written);
  return place !== 'header' || /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(written);
}

/**
 * Whether a text in the path makes no other path. An empty one leaves `/greetings/` of `/greetings/{name}`,
 * which the template does not match. "." and ".." are removed by clients and proxies, however they are encoded
 * (RFC 3986, section 6.2.2.3; the URL standard takes "%2e" for a dot, too).
 */
export function isSegment(text: string): boolean {
  return !['', '.', '..'].includes(text);
}

/**
 * The plainest text that fits; "" if the value cannot be written as a parameter, as an object cannot.
 *
 * @throws {NoValueError} for an operation that `withoutUnwritable` would leave out
 */
export function plainText(parameter: Parameter): Text {
  const { schema, in: place, name } = parameter;
  const plain = plainValue([schema]);
  const items = schema.at('items');
  // An array that may be empty still gets one item, because an empty one cannot be written.
  const value = isArray(plain) && items && plain.length === 0 ? [plainValue([items])] : plain;
  const text = textOf(value);
  if (canCarry(parameter, text)) return text;
  const others = fc.sample(anyValue([schema]), { seed: 0, numRuns: samplesTried }).map(textOf);
  const carried = others.find((other) => canCarry(parameter, other));
  if (carried !== undefined) return carried;
  throw new NoValueError(`no value of ${name} was found that a request can have in the ${place}.`);
}

function textOf(value: Value): Text {
  return writeText(value) ?? '';
}
