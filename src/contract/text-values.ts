import type { JsonValue } from './json.js';
import type { ContractSchema } from './schema.js';

type Read = (text: string) => JsonValue;

const plainInteger = /^-?(?:0|[1-9][0-9]*)$/;
const plainDecimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * How the text of a path or query parameter becomes a value of its type. Text of any other form stays
 * text, and then does not fit the schema: `0x10`, `1e3`, ` 5` and `007` are no integers here, although
 * `Number` and Ajv's coercion take the first three.
 *
 * @throws {Error} where the schema asks for a type that text is not turned into
 */
export function readText({ type }: ContractSchema): Read {
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
        `a parameter of type "${type}" is not supported: use a string, an integer, a number or a boolean`,
      );
  }
}
