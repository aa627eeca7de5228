import type { KeywordDefinition } from 'ajv';
import { exactJson, type JsonValue } from '../../../exact-json/index.js';

/**
 * Checks `uniqueItems` on values as `parseJson` reads them. Ajv's own keyword compares every pair of items,
 * takes 1 and 1.0 for two values because one is a bigint, and fails on objects without a prototype.
 */
export const distinctItems: KeywordDefinition = {
  keyword: 'distinctItems',
  type: 'array',
  schemaType: 'boolean',
  compile: () => (items: readonly JsonValue[]) => new Set(items.map(exactJson)).size === items.length,
  error: { message: 'must NOT have duplicate items' },
};
