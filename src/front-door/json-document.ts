import { parse } from 'yaml';
import type { Contract } from '../contract/document.js';

/** What YAML holds, read with integers as bigints, so that 9223372036854775807 keeps its last digit. */
export type YamlValue = null | boolean | string | number | bigint | YamlValue[] | YamlMap;
export type YamlMap = { [member: string]: YamlValue };
type Server = YamlMap & { url: string };

/**
 * The YAML of a contract as JSON, each integer to the last digit. Made from the text and not from
 * `contract.document`, whose integers are doubles with helpers beside them.
 *
 * @param base where a consumer reaches the server, such as `https://plants.example/api`: addresses under
 *   `servers` that begin with "/" become full ones
 */
export function jsonDocument(contract: Contract, base: string): string {
  const document = readDocument(contract);
  if (document.servers) document.servers = document.servers.map((server) => withBase(server, base));
  return `${writeJson(document, '')}\n`;
}

/** The document as the file has it, integers as bigints. */
export function readDocument({ text }: Contract): YamlMap & { servers?: Server[] } {
  // The contract is valid OpenAPI, and so a map; its servers, if it has any, are maps with a text for `url`.
  return parse(text, { intAsBigInt: true }) as YamlMap & { servers?: Server[] };
}

/** OpenAPI 3.0.3, "Server Object": a relative URL is relative to the place that serves the document. */
function withBase(server: Server, base: string): Server {
  if (base === '' || !server.url.startsWith('/')) return server;
  // The paths of the document, which begin with a slash, are appended to it as they are.
  return { ...server, url: `${base}${server.url}`.replace(/\/$/, '') };
}

/** JSON.stringify with an indent of two, that also writes bigints: as plain digits. */
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
