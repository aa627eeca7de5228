import type { JsonValue } from './json.js';
import type { Parameter } from './parameters.js';
import { decodeText, type Texts } from './query.js';
import type { ContractSchema } from './schema.js';

type Read = (text: string) => JsonValue;

const plainInteger = /^-?(?:0|[1-9][0-9]*)$/;
const plainDecimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * How the texts of a parameter become its value; undefined for a single value whose name came more than once. How
 * many items an array has is bounded by its `maxItems`, and in any case by the 16 KiB that Node.js reads of a request's
 * head (`maxHeaderSize`).
 *
 * @throws {Error} if the schema asks for a type that text is not turned into
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
  // Still percent-encoded here (`encodedTexts`): an encoded comma is data, and separates nothing.
  return (text) =>
    typeof text === 'string' ? text.split(',').map((item) => readItem(decodeText(item))) : undefined;
}

/**
 * How a text becomes a value of its type. Text of any other form stays text, and then does not fit the schema: `0x10`,
 * `1e3`, ` 5` and `007` are no integers here, although `Number` and Ajv's coercion take the first three.
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
