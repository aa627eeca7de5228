import type { Contract } from '../contract/document/document.js';
import { withCommonHeadersOnce } from './common-headers.js';
import { isMap, readDocument, type YamlMap, type YamlValue } from './json-document.js';

/**
 * `x-exact-…` holds the digits that JSON.parse rounds. A rounded default becomes text, because the page
 * fills it in.
 */
export function pageDocument(contract: Contract): string {
  return JSON.stringify(shown(withCommonHeadersOnce(readDocument(contract))));
}

function shown(value: YamlValue): YamlValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(shown);
  return isMap(value) ? shownMap(value) : value;
}

function shownMap(map: YamlMap): YamlMap {
  const result: YamlMap = {};
  for (const [name, member] of Object.entries(map)) {
    if (name === 'default') result[name] = Array.isArray(member) ? member.map(filledIn) : filledIn(member);
    else result[name] = shown(member);
    if (isRounded(member)) result[`x-exact-${name}`] = String(member);
  }
  const { 'x-limits': limits, description = '' } = map;
  if (isMap(limits)) result['description'] = `${description}\n\n${limitsInWords(limits)}`;
  return result;
}

function filledIn(value: YamlValue): YamlValue {
  return isRounded(value) ? String(value) : shown(value);
}

function isRounded(value: YamlValue): boolean {
  return typeof value === 'bigint' && !Number.isSafeInteger(Number(value));
}

/** Every request body has both limits. */
function limitsInWords({ bytes, depth }: YamlMap): string {
  return `At most ${bytes} bytes, in which arrays and objects nest at most ${depth} deep.`;
}
