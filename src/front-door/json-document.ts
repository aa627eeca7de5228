import { parse } from 'yaml';
import type { Contract } from '../contract/document.js';

/** A value of YAML, with integers as bigints, so that 9223372036854775807 keeps its last digit. */
export type YamlValue = null | boolean | string | number | bigint | YamlValue[] | YamlMap;
export type YamlMap = { [member: string]: YamlValue };
type Server = YamlMap & { url: string };

/**
 * The YAML of a contract as JSON, with exact integers. It is made from the text, because the integers of
 * `contract.document` are doubles.
 *
 * @param base the address of the server, such as `https://plants.example/api`. Relative addresses in
 *   `servers` get it.
 */
export function jsonDocument(contract: Contract, base: string): string {
  const document = readDocument(contract);
  if (document.servers) document.servers = document.servers.map((server) => withBase(server, base));
  return `${writeJson(document, '')}\n`;
}

/** The document as in the file, with integers as bigints. */
export function readDocument({ text }: Contract): YamlMap & { servers?: Server[] } {
  // The contract is valid OpenAPI, so it is a map, and its servers are maps with a `url`.
  return parse(text, { intAsBigInt: true }) as YamlMap & { servers?: Server[] };
}

/** OpenAPI 3.0.3, "Server Object": a relative URL is relative to the place that serves the document. */
function withBase(server: Server, base: string): Server {
  if (base === '' || !server.url.startsWith('/')) return server;
  // Clients append paths that begin with a slash.
  return { ...server, url: `${base}${server.url}`.replace(/\/$/, '') };
}

/** JSON.stringify with an indent of two, which also writes bigints. */
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
