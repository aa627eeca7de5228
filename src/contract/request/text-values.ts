import type { Parameter } from '../document/parameters.js';
import type { JsonValue } from '../json.js';
import type { ContractSchema } from '../schema/schema.js';
import { decodeText, type Texts } from './query.js';

type Read = (text: string) => JsonValue;

const plainInteger = /^-?(?:0|[1-9][0-9]*)$/;
const plainDecimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Makes a function that reads the text of a parameter by the type of its schema. It returns undefined if a
 * parameter that is not a list was repeated. Node.js's `maxHeaderSize` (16 KiB) limits how many items a list
 * can have.
 *
 * @throws {Error} if the type is not supported
 */
export function readTexts({
  in: part,
  schema,
  exploded,
}: Pick<Parameter, 'in' | 'schema' | 'exploded'>): (texts: Texts) => JsonValue | undefined {
  const { type, items } = schema;
  if (type !== 'array' || items === undefined || part !== 'query') {
    const read = readText(schema);
    return (text) => (typeof text === 'string' ? read(text) : undefined);
  }
  const readItem = readText(items);
  if (exploded) return (texts) => (typeof texts === 'string' ? [readItem(texts)] : texts.map(readItem));
  // The text is still percent-encoded (`encodedTexts`): an encoded comma is data.
  return (text) =>
    typeof text === 'string' ? text.split(',').map((item) => readItem(decodeText(item))) : undefined;
}

/**
 * A text of another form stays a text, which the check then refuses. Ajv's own coercion would accept `0x10`.
 */
function readText({ type }: ContractSchema): Read {
  switch (type) {
    case 'string':
      return (text) => text;
    case 'integer':
      return (text) => (plainInteger.test(text) ? BigInt(text) : text);
    case 'number':
      return (text) => (plainDecimal.test(text) ? Number(text) : text);
    case 'boolean':
      return (text) => booleans.get(text) ?? text;
    default:
      throw new Error(
        `a parameter of type "${type}" is not supported: use a string, an integer, a number, a boolean, or in the query an array of those`,
      );
  }
}
