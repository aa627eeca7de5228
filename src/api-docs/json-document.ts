import { randomUUID } from 'node:crypto';
import { parse } from 'yaml';
import type { Contract } from '../contract/document/document.js';

/** Integers are exact bigints. */
export type YamlValue = null | boolean | string | number | bigint | YamlValue[] | YamlMap;
export type YamlMap = { [member: string]: YamlValue };
type Server = YamlMap & { url: string };

/**
 * Reads the text, because `contract.document` has doubles.
 *
 * @returns quickly makes the document for a base of relative `servers`, such as `https://plants.example/api`
 */
export function jsonDocument(contract: Contract): (base: string) => string {
  const document = readDocument(contract);
  const relative: string[] = [];
  const mark = randomUUID();
  document.servers?.forEach((server) => {
    if (!server.url.startsWith('/')) return;
    relative.push(server.url);
    server.url = mark;
  });
  const [start = '', ...rest] = `${writeJson(document, '')}\n`.split(`"${mark}"`);
  return (base) =>
    rest.reduce(
      (text, after, place) => text + JSON.stringify(withBase(relative[place], base)) + after,
      start,
    );
}

export function readDocument({ text }: Contract): YamlMap & { servers?: Server[] } {
  // Valid OpenAPI is a map, whose servers have a `url`.
  return parse(text, { intAsBigInt: true }) as YamlMap & { servers?: Server[] };
}

/** A relative URL is relative to the document (OpenAPI 3.0.3, "Server Object"). */
function withBase(url = '', base = ''): string {
  // Appended paths begin with a slash.
  return base === '' ? url : `${base}${url}`.replace(/\/$/, '');
}

/** JSON.stringify, also for bigints. */
function writeJson(value: YamlValue, indent: string): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const [open, close, members] = Array.isArray(value)
    ? ['[', ']', value.map((item) => writeJson(item, deeper))]
    : [
        '{',
        '}',
        Object.entries(value).map(
          ([name, member]) => `${JSON.stringify(name)}: ${writeJson(member, deeper)}`,
        ),
      ];
  if (members.length === 0) return open + close;
  return `${open}\n${deeper}${members.join(`,\n${deeper}`)}\n${indent}${close}`;
}
