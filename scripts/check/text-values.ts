import { Decimal, type Value } from './json.js';
import type { Node } from './node.js';

/** What the text of a parameter or a header is, by the type that its schema asks for; other text stays a string. */
export function readText(schema: Node, text: string): Value {
  const type = schema.text('type');
  if (type === 'integer' || type === 'number') {
    if (/^-?(0|[1-9][0-9]*)$/.test(text)) return BigInt(text);
    if (type === 'number' && /^-?(0|[1-9][0-9]*)\.[0-9]+$/.test(text)) return new Decimal(text);
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A value as a parameter writes it (OpenAPI 3.0.3, "style": simple and form); undefined for what has no such text. */
export function writeText(value: Value): string | undefined {
  if (value instanceof Decimal) return value.text;
  return value === null || typeof value === 'object' ? undefined : String(value);
}
