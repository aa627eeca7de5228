/**
 * Makes texts of parameters that do not fit. Some are disguises: `?limit=1e0` or `?limit=+1`, which a lenient
 * parser takes for the very integer that a good request has. The others break one keyword of the schema
 * (broken-values.ts).
 */

import type { Node } from '../../document/node.js';
import type { RuleName } from '../../document/rule-table.js';
import { integerBounds, typeOf } from '../../values/bounds.js';
import { printable } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';
import { violationsOf } from '../../values/schema.js';
import { breakSites } from './broken-values.js';
import { readText, type Text, writeText } from './parameter-text.js';

interface BrokenText {
  /** The case in a few words, with the text that is made from one that fits. */
  why(fitting: Text): string;
  /** The rule beyond OpenAPI and HTTP that it breaks, if it is one. */
  readonly by?: RuleName | undefined;
  /** Each is made from a text that fits, so that a lenient server takes it for that very one. */
  from(fitting: Text): Text;
}

/** Texts that some lenient parser reads as the integer itself. */
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
  // A reader that stops at it must not be left with a short number, which somebody may have for an id.
  (integer) => integer.replace(/[0-9](?=[0-9]?$)/, (digit) => `${digit}_`),
  (integer) => integer.replace(/^-?/, (sign) => `${sign}0x`),
  // Digits in Unicode, but not in ASCII.
  (integer) => integer.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  (integer) => integer.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0x0660 + Number(digit))),
];

const noIntegers = ['', ' ', 'abc', 'null', 'true', 'NaN', 'Infinity', '-', '{}', '9'.repeat(400)];

/**
 * @param usual a text that fits
 * @returns one case for each text that does not fit; equal texts come once
 */
export function brokenTexts(schema: Node, usual: Text): BrokenText[] {
  const texts = new Map<string, BrokenText>();
  const add = (why: string, from: BrokenText['from'], by?: RuleName): void => {
    const text = from(usual);
    const key = written(text);
    if (violationsOf(schema, readText(schema, text)).length === 0 || texts.has(key)) return;
    texts.set(key, {
      why: (fitting) => `"${printable(written(from(fitting)), 60)}" ${why}`,
      from,
      by: by ?? leniencyOf(text, usual),
    });
  };
  const single = schema.at('items') ?? schema;
  if (typeOf(layersOf(single)) === 'integer') {
    for (const disguise of disguises) add('is no plain decimal integer', ofFirst(disguise));
    for (const text of noIntegers)
      add(
        'is no plain decimal integer',
        ofFirst(() => text),
      );
    const { least, most } = integerBounds(layersOf(single));
    const far = 2n ** 64n;
    for (const number of [least - 1n, most + 1n, most + 1_000n, most + far, least - far]) {
      add(
        'is out of bounds',
        ofFirst(() => String(number)),
      );
    }
  }
  for (const { keyword, apply, by } of breakSites(schema, readText(schema, usual))) {
    const from = (fitting: Text): Text => {
      const text = writeText(apply(readText(schema, fitting)));
      // If no list is allowed, a list of one item would look like that item.
      return text === undefined || (typeof text !== 'string' && single === schema) ? fitting : text;
    };
    add(`breaks "${keyword}"`, from, by);
  }
  return [...texts.values()];
}

function written(text: Text): string {
  return [text].flat().join('&');
}

/**
 * The rule beyond OpenAPI and HTTP that a server keeps if it refuses the text. Many take a blank value for
 * none. Some readers of integers take other spellings: JavaScript's Number, Python's int with underscores, or
 * Java's parseInt with the digits of any script.
 */
function leniencyOf(text: Text, usual: Text): RuleName | undefined {
  const [written = '', meant] = [text, usual].map((one) => [one].flat()[0] ?? '');
  if (written.trim() === '') return 'blank-parameters';
  const plain = written
    .normalize('NFKC')
    .replaceAll(/[\u0660-\u0669]/g, (digit) => `${digit.charCodeAt(0) - 0x660}`);
  const number = plain.replaceAll(/(?<=[0-9])_(?=[0-9])/g, '');
  const isSame = Number(number) === Number(meant);
  return isSame ? 'plain-integers' : undefined;
}

/** Breaks the first item of an array. */
function ofFirst(damage: (text: string) => string): BrokenText['from'] {
  return (fitting) => {
    if (typeof fitting === 'string') return damage(fitting);
    const [first = '', ...others] = fitting;
    return [damage(first), ...others];
  };
}
