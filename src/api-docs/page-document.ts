import type { OpenAPIV3 } from 'openapi-types';
import type { Contract } from '../contract/contract.js';
import { withCommonHeadersOnce } from './common-headers.js';
import { writtenDocument, type YamlMap, type YamlValue } from './written-document.js';

/** The keywords whose digits the page must show. */
const exactKeywords: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
  'default',
]);

/**
 * Writes the document in the form that the page needs, as a text of JSON. The page reads it by JSON.parse,
 * which rounds large integers, so their digits stand beside them as `x-exact-…`. A default that would be
 * rounded becomes a text, because the page fills it in.
 */
export function pageDocument(contract: Pick<Contract, 'text'>): string {
  // The text is valid OpenAPI. What is read here is the same in all its versions.
  const document = shown(writtenDocument(contract)) as unknown as OpenAPIV3.Document;
  return JSON.stringify(withCommonHeadersOnce(document));
}

function shown(value: YamlValue): YamlValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, YamlValue][] => {
    const digits = exactKeywords.has(name) ? lostDigits(member) : undefined;
    if (digits === undefined) return [[name, shown(member)]];
    return [
      [name, name === 'default' ? digits : shown(member)],
      [`x-exact-${name}`, digits],
    ];
  });
  return withLimits(Object.fromEntries(members));
}

/**
 * @returns the digits that a double would lose, for each item if the value is a list; undefined if it loses
 * none
 */
function lostDigits(value: YamlValue): string | string[] | undefined {
  if (Array.isArray(value))
    return value.some((item) => lostDigits(item) !== undefined) ? value.map(String) : undefined;
  if (typeof value !== 'bigint') return undefined;
  // JavaScript compares a bigint with a number exactly.
  return value < Number(value) || value > Number(value) ? String(value) : undefined;
}

/** Adds a sentence to the description of a request body, each of which has both limits. */
function withLimits(node: YamlMap): YamlMap {
  const limits = node['x-limits'];
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) return node;
  const { bytes, depth } = limits;
  const sentence = `At most ${bytes} bytes, in which arrays and objects nest at most ${depth} deep.`;
  return { ...node, description: `${node['description'] ?? ''}\n\n${sentence}` };
}
