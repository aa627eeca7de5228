import type { Contract } from '../contract/document.js';
import { readDocument, type YamlMap, type YamlValue } from './json-document.js';

/**
 * The document for the docs page, with `x-limits` in words, and with the digits of each number that
 * JSON.parse rounds (`x-exact-maximum`). The page knows its own address, so the document is the same for
 * every address.
 */
export function pageDocument(contract: Contract): string {
  return JSON.stringify(shown(readDocument(contract)));
}

function shown(value: YamlValue): YamlValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(shown);
  return isMap(value) ? shownMap(value) : value;
}

function shownMap(map: YamlMap): YamlMap {
  const result: YamlMap = {};
  for (const [name, member] of Object.entries(map)) {
    result[name] = shown(member);
    if (typeof member === 'bigint' && !Number.isSafeInteger(Number(member)))
      result[`x-exact-${name}`] = String(member);
  }
  const { 'x-limits': limits, description = '' } = map;
  if (isMap(limits)) result['description'] = `${description}\n\n${limitsInWords(limits)}`;
  return result;
}

/** A contract whose request body lacks one of the two limits is refused when it is read. */
function limitsInWords({ bytes, depth }: YamlMap): string {
  return `At most ${bytes} bytes, in which arrays and objects nest at most ${depth} deep.`;
}

function isMap(value: YamlValue | undefined): value is YamlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
