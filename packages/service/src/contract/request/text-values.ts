/**
 * Reads the text of a parameter as a number or a boolean if its schema says so.
 *
 * A schema with alternatives may have several types: of `oneOf: [integer, { enum: [all] }]`, the text "7" is
 * the integer 7, and "all" a text. So there are several readings, the first of which takes a text for a
 * number or a boolean if it has that form. The reading that fits the schema counts (parameter-values.ts).
 */

import type { JsonValue } from '../../../../exact-json/index.js';
import { type ContractSchema, subschemasOf, typesOf } from '../../schema/schema.js';
import type { Parameter } from '../document/parameters.js';

/** Makes a value of the text of a parameter, or of the texts of a list. */
export type Reading = (texts: string | readonly string[]) => JsonValue;

const plainInteger = /^-?(?:0|[1-9][0-9]*)$/;
const plainDecimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Makes the functions that read the text of a parameter, or the texts of a list, by the types of its schema.
 * Node.js's `maxHeaderSize` (16 KiB) limits how many items a list can have.
 *
 * @returns the readings in the order in which to try them
 * @throws {Error} if a type is not supported
 */
export function readingsOf({
  in: part,
  schema,
}: Pick<Parameter, 'in' | 'schema'>): readonly [Reading, ...Reading[]] {
  const parts = subschemasOf(schema);
  const items = parts.map((one) => one.items).filter((one) => one !== undefined);
  const isList = part === 'query' && items.length > 0 && parts.some((one) => typesOf(one).includes('array'));
  const types = typesIn(parts).filter((type) => !(isList && type === 'array'));
  const ofItems = isList ? formsOf(typesIn(items.flatMap(subschemasOf))) : [];
  const ofText = isList && types.length === 0 ? [] : formsOf(types);
  const readings = [
    // A list that comes as one text is read as a text, too, if it may be one.
    ...ofText.map(
      (read): Reading =>
        (texts) =>
          typeof texts === 'string' ? read(texts) : readOnly(texts, read),
    ),
    ...ofItems.map(
      (read): Reading =>
        (texts) =>
          typeof texts === 'string' ? read(texts) : texts.map(read),
    ),
  ];
  // There is a form of each type.
  return readings as [Reading, ...Reading[]];
}

function readOnly(texts: readonly string[], read: (text: string) => JsonValue): JsonValue {
  const [only = '', ...others] = texts;
  return others.length === 0 ? read(only) : texts.map(read);
}

/** Nothing that is sent as a text is null. */
function typesIn(parts: readonly ContractSchema[]): (string | undefined)[] {
  const types = new Set(parts.flatMap(typesOf).filter((type) => type !== 'null'));
  return types.size === 0 ? [undefined] : [...types];
}

/**
 * A text of another form stays a text, which the check then refuses. Ajv's own coercion would accept `0x10`.
 *
 * @returns a function that reads a text by its form, and another one that leaves it a text if it may be one
 * @throws {Error} if a type is not supported
 */
function formsOf(types: readonly (string | undefined)[]): ((text: string) => JsonValue)[] {
  const unknown = types.findIndex(
    (type) => type === undefined || !['string', 'integer', 'number', 'boolean'].includes(type),
  );
  if (unknown >= 0) {
    throw new Error(
      `a parameter of type "${types[unknown]}" is not supported: use a string, an integer, a number, a boolean, or in the query an array of those`,
    );
  }
  const asText = (text: string): JsonValue => text;
  if (types.every((type) => type === 'string')) return [asText];
  const [isInteger, isNumber, isBoolean] = ['integer', 'number', 'boolean'].map((type) =>
    types.includes(type),
  );
  const byForm = (text: string): JsonValue => {
    if (isInteger && plainInteger.test(text)) return BigInt(text);
    if (isNumber && plainDecimal.test(text)) return Number(text);
    return (isBoolean ? booleans.get(text) : undefined) ?? text;
  };
  return types.includes('string') ? [byForm, asText] : [byForm];
}
