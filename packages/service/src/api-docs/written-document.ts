import { parse } from 'yaml';
import type { Contract } from '../contract/contract.js';

/** A value of the YAML, whose integers are exact bigints. */
export type YamlValue = null | boolean | string | number | bigint | YamlValue[] | YamlMap;
export type YamlMap = { [member: string]: YamlValue };

/** @returns the document as its author wrote it, in its own version of OpenAPI */
export function writtenDocument({ text }: Pick<Contract, 'text'>): YamlMap {
  // The text is valid OpenAPI, so it is a map.
  return parse(text, { intAsBigInt: true }) as YamlMap;
}
