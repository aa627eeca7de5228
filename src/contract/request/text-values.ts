/** Reads the text of a parameter as a number or a boolean if its schema says so. */
import type { Parameter } from '../document/parameters.js';
import type { JsonValue } from '../json.js';
import type { ContractSchema } from '../schema/schema.js';

type Read<Text> = (text: Text) => JsonValue;

const plainInteger = /^-?(?:0|[1-9][0-9]*)$/;
const plainDecimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Makes a function that reads the text of a parameter, or the texts of a list, by the type of its schema.
 * Node.js's `maxHeaderSize` (16 KiB) limits how many items a list can have.
 *
 * @throws {Error} if the type is not supported
 */
export function readTexts({
  in: part,
  schema,
}: Pick<Parameter, 'in' | 'schema'>): Read<string | readonly string[]> {
  const { type, items } = schema;
  const isList = type === 'array' && items !== undefined && part === 'query';
  const read = readText(isList ? items : schema);
  return (texts) => (typeof texts === 'string' ? read(texts) : texts.map(read));
}

/**
 * A text of another form stays a text, which the check then refuses. Ajv's own coercion would accept `0x10`.
 *
 * @throws {Error} if the type is not supported
 */
function readText({ type }: ContractSchema): Read<string> {
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
