/** Mutations that make a body something else than JSON, or JSON that readers disagree about. */
import type { Operation, RequestBody } from '../../document/operations.js';
import { readJson, writeJson } from '../../values/json.js';
import { plainValue } from '../../values/valid-values.js';
import type { Request } from '../requests/request.js';
import { type Mutation, mutated, withBody } from './mutation.js';

/** Each is made from a body that fits, and is outside RFC 8259. */
const notJson: readonly (readonly [why: string, make: (text: string) => string])[] = [
  ['white space only', () => ' \n\t '],
  ['a body that ends too early', (text) => text.slice(0, -1)],
  ['a trailing comma', (text) => `${text.slice(0, -1)},}`],
  ['single quotes', (text) => text.replaceAll('"', "'")],
  ['member names without quotes', (text) => text.replaceAll(/"(\w+)":/g, '$1:')],
  ['a comment', (text) => `${text.slice(0, -1)}/* comment */}`],
  ['something behind the end', (text) => `${text}x`],
  ['NaN', (text) => `${text.slice(0, -1)},"unknown":NaN}`],
  ['a number with a leading zero', (text) => `${text.slice(0, -1)},"unknown":01}`],
  ['a hexadecimal number', (text) => `${text.slice(0, -1)},"unknown":0x10}`],
  ['a line end in a string', (text) => `${text.slice(0, -1)},"unknown":"a\nb"}`],
  ['an unknown escape', (text) => `${text.slice(0, -1)},"unknown":"\\x41"}`],
  ['the word undefined', () => 'undefined'],
  ['a form', () => 'name=a&id=1'],
];

const notUtf8: readonly (readonly [why: string, make: (text: string) => Buffer])[] = [
  ['UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['a byte that UTF-8 never has', (text) => withBytes(text, [0xff])],
  ['a character of Latin-1', (text) => withBytes(text, [0xe9])],
  ['an overlong encoding', (text) => withBytes(text, [0xc0, 0xaf])],
  ['a surrogate in UTF-8', (text) => withBytes(text, [0xed, 0xa0, 0x80])],
  ['a character cut in two', (text) => withBytes(text, [0xf0, 0x9f, 0x8c])],
];

function withBytes(text: string, bytes: readonly number[]): Buffer {
  const before = Buffer.from(`${text.slice(0, -1)},"unknown":"`);
  return Buffer.concat([before, Buffer.from(bytes), Buffer.from('"}')]);
}

/**
 * Lists mutations that make a body something else than JSON. Those that leave the plainest body valid are
 * left out: an empty object has no names without quotes.
 */
export function syntaxMutations(operation: Operation, { node, schema }: RequestBody): Mutation[] {
  const usual = writeJson(plainValue([schema]));
  const kinds = [
    ...notJson.map(([why, make]) => ({ why, make, by: undefined })),
    ...notUtf8.map(([why, make]) => ({ why, make, by: 'well-formed-utf-8' as const })),
  ];
  return mutated(
    operation,
    { what: 'a body that is not JSON', refusal: 'syntax', path: node.path },
    kinds
      .filter(({ make }) => !isJson(Buffer.from(make(usual))))
      .map(({ why, make, by }) => ({ description: why, by, change: (request) => remade(request, make) })),
  );
}

/**
 * Lists mutations that make a body JSON that readers disagree about (RFC 8259, sections 4 and 8.2; RFC 7493,
 * section 2).
 */
export function strictnessMutations(operation: Operation, { schema }: RequestBody): Mutation[] {
  const bodies: readonly (readonly [string, (text: string) => string])[] = [
    ['a member twice', (text) => `{${text.slice(1, -1)},${text.slice(1, -1)}}`],
    [
      'a member twice, once escaped',
      (text) =>
        text.replace(/^\{"(.)/, (start, first) => {
          const escaped = `\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}`;
          return `${text.slice(0, -1)},"${escaped}${start.slice(3)}`;
        }),
    ],
    ['a member twice, deeper', (text) => `${text.slice(0, -1)},"unknown":{"a":1,"a":1}}`],
    ['the member __proto__', (text) => `${text.slice(0, -1)},"__proto__":{}}`],
    ['half of a surrogate pair', (text) => `${text.slice(0, -1)},"unknown":"\\ud83c"}`],
    ['the other half', (text) => `${text.slice(0, -1)},"unknown":"\\udf35x"}`],
    ['halves in the wrong order', (text) => `${text.slice(0, -1)},"unknown":"\\udf35\\ud83c"}`],
  ];
  const usual = writeJson(plainValue([schema]));
  const apt = bodies.filter(([, make]) => make(usual) !== usual);
  return mutated(
    operation,
    { what: 'JSON that readers disagree about', refusal: 'syntax', path: ['info', 'description'] },
    apt.map(([description, make]) => ({ description, change: (request) => remade(request, make) })),
  );
}

function remade(request: Request, make: (text: string) => string | Buffer): Request {
  return withBody(request, Buffer.from(make(request.body?.toString() ?? '{}')));
}

function isJson(bytes: Buffer): boolean {
  try {
    readJson(bytes);
    return true;
  } catch {
    return false;
  }
}
