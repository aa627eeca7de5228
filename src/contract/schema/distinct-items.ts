import type { KeywordDefinition } from 'ajv';
import type { JsonValue } from '../json.js';

/**
 * Checks `uniqueItems` on values as `parseJson` reads them. Ajv's own keyword compares every pair of items,
 * takes 1 and 1.0 for two values because one is a bigint, and fails on objects without a prototype.
 */
export const distinctItems: KeywordDefinition = {
  keyword: 'distinctItems',
  type: 'array',
  schemaType: 'boolean',
  compile: () => (items: readonly JsonValue[]) => new Set(items.map(canonicalText)).size === items.length,
  error: { message: 'must NOT have duplicate items' },
};

/**
 * Writes equal values as the same text, and different values as different texts. Numbers are equal if their
 * mathematical values are, and objects whatever the order of their members (JSON Schema Wright-00, section
 * 3.6).
 */
function canonicalText(value: JsonValue): string {
  if (typeof value === 'number') return String(Number.isInteger(value) ? BigInt(value) : value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`,
  );
  return `{${members.sort().join()}}`;
}
