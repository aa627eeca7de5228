import { parse } from 'yaml';
import type { Contract } from '../contract/document/document.js';

/** A value of the YAML, whose integers are exact bigints. */
export type YamlValue = null | boolean | string | number | bigint | YamlValue[] | YamlMap;
export type YamlMap = { [member: string]: YamlValue };

export function isMap(value: YamlValue | undefined): value is YamlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Server = YamlMap & { url: string };

/**
 * Makes the document in JSON. It reads the text of the YAML again, because the numbers of `contract.document`
 * are doubles.
 *
 * @returns a function that takes the base of relative `servers`, such as `https://plants.example/api`, or an
 * empty text
 */
export function jsonDocument(contract: Contract): (base: string) => string {
  const document = readDocument(contract);
  return (base) => {
    const servers = document.servers?.map((server) => withBase(server, base));
    return `${writeJson({ ...document, ...(servers && { servers }) }, '')}\n`;
  };
}

export function readDocument({ text }: Contract): YamlMap & { servers?: Server[] } {
  // The text is valid OpenAPI, so it is a map, and each of its servers has a `url`.
  return parse(text, { intAsBigInt: true }) as YamlMap & { servers?: Server[] };
}

/** A relative URL is relative to the document (OpenAPI 3.0.3, "Server Object"). */
function withBase(server: Server, base: string): Server {
  if (base === '' || !server.url.startsWith('/')) return server;
  // Clients append paths, which begin with a slash, so the URL must not end with one.
  return { ...server, url: `${base}${server.url}`.replace(/\/$/, '') };
}

/** Does what JSON.stringify does, which throws an error at a bigint. */
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
