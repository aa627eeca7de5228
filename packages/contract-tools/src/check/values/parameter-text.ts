/** Reads and writes the values of parameters as text, by the schema of the parameter. */
import type { Node } from '../../document/node.js';
import { typesOf } from '../../values/bounds.js';
import { Decimal, isArray, type Value } from '../../values/json.js';
import { layersOf } from '../../values/layers.js';

/** A parameter before it is written into a request; an array has one text for each item. */
export type Text = string | readonly string[];

/** Reads the text of a parameter or a header by the type in its schema; other text stays a string. */
export function readText(schema: Node, text: Text): Value {
  const items = schema.at('items');
  if (typeof text !== 'string' || items !== undefined) {
    return [text].flat().map((item) => (items === undefined ? item : readText(items, item)));
  }
  const types = typesOf(layersOf(schema));
  const isNumber = types.includes('number');
  if (isNumber || types.includes('integer')) {
    if (/^-?(0|[1-9][0-9]*)$/.test(text)) return BigInt(text);
    if (isNumber && /^-?(0|[1-9][0-9]*)\.[0-9]+$/.test(text)) return new Decimal(text);
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Writes a value as a parameter does (OpenAPI 3.0.3, styles simple and form); undefined if it cannot. */
export function writeText(value: Value): Text | undefined {
  if (!isArray(value)) return writeScalar(value);
  const items = value.flatMap((item) => writeScalar(item) ?? []);
  // RFC 6570, section 3.2.1: an empty list is not written at all.
  return items.length === value.length && items.length > 0 ? items : undefined;
}

function writeScalar(value: Value): string | undefined {
  if (value instanceof Decimal) return value.text;
  return value === null || typeof value === 'object' ? undefined : String(value);
}

/** Returns the single text of a parameter: items are joined with commas (style "simple"). */
export function joined(text: Text): string {
  return [text].flat().join();
}
