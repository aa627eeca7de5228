/** Judges numbers, texts and counts by the keywords of one schema. */

import { decimal, isMultiple as isMultipleOf } from '../base/decimal.js';
import type { Node } from '../document/node.js';
import { isNotOf } from './formats.js';
import { Decimal } from './json.js';
import { patternOf } from './patterns.js';

/** OpenAPI 3.0.3, "Data Types". */
export const integerRanges: ReadonlyMap<string, readonly [bigint, bigint]> = new Map([
  ['int32', [-(2n ** 31n), 2n ** 31n - 1n]],
  ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
]);

/** Is told of a keyword that a value breaks, and how, in words that continue the value. */
export type Complain = (keyword: string, message: string) => void;

export function checkNumber(schema: Node, value: bigint | Decimal, complain: Complain): void {
  // JavaScript compares a bigint with a number exactly.
  const number = value instanceof Decimal ? Number(value.text) : value;
  const range = integerRanges.get(schema.text('format') ?? '');
  if (range !== undefined && (number < range[0] || number > range[1])) {
    complain('format', `is no ${schema.text('format')}`);
  }
  const [minimum, maximum, above, below, step] = [
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ].map((key) => schema.number(key));
  if (minimum !== undefined && number < minimum) complain('minimum', `is less than ${minimum}`);
  if (maximum !== undefined && number > maximum) complain('maximum', `is more than ${maximum}`);
  if (above !== undefined && number <= above) complain('exclusiveMinimum', `is not more than ${above}`);
  if (below !== undefined && number >= below) complain('exclusiveMaximum', `is not less than ${below}`);
  if (step !== undefined && !isMultiple(value, step)) complain('multipleOf', `is no multiple of ${step}`);
}

/** Longer exponents have no use, and would not fit into memory when written out. */
const maxExponent = 400;

/** Doubles do not know that 0.3 is a multiple of 0.1. */
function isMultiple(value: bigint | Decimal, step: bigint | number): boolean {
  const text = value instanceof Decimal ? value.text : String(value);
  const [, exponent = '0'] = /e([+-]?[0-9]+)$/i.exec(text) ?? [];
  if (Math.abs(Number(exponent)) > maxExponent) return true;
  return isMultipleOf(decimal(text), decimal(String(step)));
}

export function checkString(schema: Node, value: string, complain: Complain): void {
  // JSON Schema counts code points, as RFC 8259 defines characters.
  const length = [...value].length;
  checkCount(schema, length, ['minLength', 'maxLength'], 'characters', complain);
  const pattern = schema.text('pattern');
  if (pattern !== undefined && patternOf(pattern)?.test(value) === false) {
    complain('pattern', `does not match ${pattern}`);
  }
  const format = schema.text('format');
  if (format !== undefined && isNotOf(format, value)) {
    complain('format', `is no ${format}`);
  }
}

export function checkCount(
  schema: Node,
  count: number,
  [least, most]: readonly [string, string],
  unit: string,
  complain: Complain,
): void {
  const [minimum, maximum] = [schema.number(least), schema.number(most)];
  if (minimum !== undefined && count < minimum)
    complain(least, `has ${count} ${unit}, fewer than ${minimum}`);
  if (maximum !== undefined && count > maximum) complain(most, `has ${count} ${unit}, more than ${maximum}`);
}
