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
 * Makes the function that reads a parameter's value from its texts; undefined for a repeated single value.
 * `maxItems` bounds an array, and so does Node.js's limit of 16 KiB for the head of a request
 * (`maxHeaderSize`).
 *
 * @throws {Error} if text cannot become a value of the schema's type
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
  // The text is still percent-encoded (`encodedTexts`), so an encoded comma is data and not a separator.
  return (text) =>
    typeof text === 'string' ? text.split(',').map((item) => readItem(decodeText(item))) : undefined;
}

/**
 * Reads a text by its type. Text of another form stays text, and does not fit the schema: `0x10`, `1e3`, ` 5`
 * and `007` are not integers, although `Number` and Ajv's coercion accept the first three.
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
