import { parse } from 'yaml';
import type { Contract } from '../contract/document/document.js';

/** Integers are exact bigints. */
export type YamlValue = null | boolean | string | number | bigint | YamlValue[] | YamlMap;
export type YamlMap = { [member: string]: YamlValue };

export function isMap(value: YamlValue | undefined): value is YamlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Server = YamlMap & { url: string };

/**
 * Reads the text, because `contract.document` has doubles.
 *
 * @returns makes the document for a base of relative `servers`, such as `https://plants.example/api`
 */
export function jsonDocument(contract: Contract): (base: string) => string {
  const document = readDocument(contract);
  return (base) => {
    const servers = document.servers?.map((server) => withBase(server, base));
    return `${writeJson({ ...document, ...(servers && { servers }) }, '')}\n`;
  };
}

export function readDocument({ text }: Contract): YamlMap & { servers?: Server[] } {
  // Valid OpenAPI is a map, whose servers have a `url`.
  return parse(text, { intAsBigInt: true }) as YamlMap & { servers?: Server[] };
}

/** A relative URL is relative to the document (OpenAPI 3.0.3, "Server Object"). */
function withBase(server: Server, base: string): Server {
  if (base === '' || !server.url.startsWith('/')) return server;
  // Appended paths begin with a slash.
  return { ...server, url: `${base}${server.url}`.replace(/\/$/, '') };
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
