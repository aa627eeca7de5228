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

/** What a bound says, for a page that can show only rounded ones. */
const boundWords: ReadonlyMap<string, string> = new Map([
  ['minimum', 'At least'],
  ['maximum', 'At most'],
  ['exclusiveMinimum', 'More than'],
  ['exclusiveMaximum', 'Less than'],
  ['multipleOf', 'A multiple of'],
]);

/**
 * Writes the document in the form that the page needs, as a text of JSON. The page reads it by JSON.parse,
 * which rounds large integers, so their digits stand beside them as `x-exact-…`. A default that would be
 * rounded becomes a text, because the page fills it in.
 *
 * From OpenAPI 3.1 on, Swagger UI makes one text of both bounds, into which a plugin cannot write. So a bound
 * that would be rounded becomes a sentence of the description there, and the values of an enum become texts.
 */
export function pageDocument(contract: Pick<Contract, 'text'>): string {
  const written = writtenDocument(contract);
  const isLater = !String(written['openapi']).startsWith('3.0.');
  // The text is valid OpenAPI. What is read here is the same in all its versions.
  const document = shown(written, isLater) as unknown as OpenAPIV3.Document;
  return JSON.stringify(withCommonHeadersOnce(document));
}

function shown(value: YamlValue, isLater: boolean): YamlValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item) => shown(item, isLater));
  if (typeof value !== 'object' || value === null) return value;
  const sentences: string[] = [];
  const members = Object.entries(value).flatMap(([name, member]): [string, YamlValue][] => {
    const digits = exactKeywords.has(name) ? lostDigits(member) : undefined;
    if (digits === undefined) return [[name, shown(member, isLater)]];
    const words = boundWords.get(name);
    if (isLater && words !== undefined) {
      sentences.push(`${words} ${digits}.`);
      return [];
    }
    if (isLater) return [[name, digits]];
    return [
      [name, name === 'default' ? digits : shown(member, isLater)],
      [`x-exact-${name}`, digits],
    ];
  });
  return withSentences(withLimits(Object.fromEntries(members)), sentences);
}

function withSentences(node: YamlMap, sentences: readonly string[]): YamlMap {
  if (sentences.length === 0) return node;
  return { ...node, description: [node['description'] ?? '', ...sentences].join('\n\n') };
}

/**
 * @returns the digits that JavaScript would not write, for each item if the value is a list; undefined if it
 * would write them all. It rounds −2^63, too, although a double holds that number exactly.
 */
function lostDigits(value: YamlValue): string | string[] | undefined {
  if (Array.isArray(value))
    return value.some((item) => lostDigits(item) !== undefined) ? value.map(String) : undefined;
  if (typeof value !== 'bigint') return undefined;
  return String(Number(value)) === String(value) ? undefined : String(value);
}

/** Adds a sentence to the description of a request body, each of which has both limits. */
function withLimits(node: YamlMap): YamlMap {
  const limits = node['x-limits'];
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits)) return node;
  const { bytes, depth } = limits;
  const sentence = `At most ${bytes} bytes, in which arrays and objects nest at most ${depth} deep.`;
  return { ...node, description: `${node['description'] ?? ''}\n\n${sentence}` };
}
