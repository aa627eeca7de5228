/** Texts of parameters that do not fit: what lenient parsers take all the same, and what is out of bounds. */
import { integerBounds, typeOf } from './bounds.js';
import { breakSites } from './broken-values.js';
import { printable } from './json.js';
import type { Node } from './node.js';
import { layersOf, misfitsOf } from './schema.js';
import { readText, writeText } from './text-values.js';

export interface BrokenText {
  readonly why: string;
  /** Made from a text that fits, so that a lenient server takes it for that one and not for somebody else's. */
  from(fitting: string): string;
}

/** What some parser or other reads as the integer itself. */
const disguises: readonly ((integer: string) => string)[] = [
  (integer) => `${integer}.0`,
  (integer) => `${integer}.5`,
  (integer) => `${integer}e0`,
  (integer) => `+${integer}`,
  (integer) => integer.replace(/^-?/, (sign) => `${sign}0`),
  (integer) => ` ${integer}`,
  (integer) => `${integer} `,
  (integer) => `${integer}\n`,
  (integer) => `${integer}\u0000`,
  (integer) => `${integer}n`,
  (integer) => `${integer}x`,
  (integer) => `"${integer}"`,
  (integer) => `[${integer}]`,
  (integer) => `--${integer}`,
  (integer) => `${integer},${integer}`,
  (integer) => integer.replace(/[0-9](?=[0-9]|$)/, (digit) => `${digit}_`),
  (integer) => integer.replace(/^-?/, (sign) => `${sign}0x`),
  // Digits that are digits in Unicode only.
  (integer) => integer.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  (integer) => integer.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0x0660 + Number(digit))),
];

const noIntegers = ['', ' ', 'abc', 'null', 'true', 'NaN', 'Infinity', '-', '{}', '9'.repeat(400)];

export function brokenTexts(schema: Node, usual: string): BrokenText[] {
  const texts = new Map<string, BrokenText>();
  const add = (why: string, from: BrokenText['from']): void => {
    const text = from(usual);
    if (misfitsOf(schema, readText(schema, text)).length === 0 || texts.has(text)) return;
    texts.set(text, { why: `"${printable(text, 60)}" ${why}`, from });
  };
  if (typeOf(layersOf(schema)) === 'integer') {
    for (const disguise of disguises) add('is no plain decimal integer', disguise);
    for (const text of noIntegers) add('is no plain decimal integer', () => text);
    const { least, most } = integerBounds(layersOf(schema));
    const far = 2n ** 64n;
    for (const number of [least - 1n, most + 1n, most + 1_000n, most + far, least - far]) {
      add('is out of bounds', () => String(number));
    }
  }
  for (const { keyword, apply } of breakSites(schema, readText(schema, usual))) {
    const from = (fitting: string): string => writeText(apply(readText(schema, fitting))) ?? fitting;
    add(`breaks "${keyword}"`, from);
  }
  return [...texts.values()];
}
