/**
 * Makes `/openapi.json` from the text of the YAML, with every digit of its numbers. `contract.document` would
 * not do, because its numbers are doubles.
 */
import { randomUUID } from 'node:crypto';
import { parse } from 'yaml';
import type { Contract } from '../contract/contract.js';

/** A value of the YAML, whose integers are exact bigints. */
type YamlValue = null | boolean | string | number | bigint | YamlValue[] | YamlMap;
type YamlMap = { [member: string]: YamlValue };

type Server = YamlMap & { url: string };

/**
 * Reads the YAML.
 *
 * @returns a function that writes the document. It takes the base of relative `servers`, such as
 * `https://plants.example/api`, or an empty text if they stay relative
 */
export function jsonDocument({ text }: Contract): (base: string) => string {
  // The text is valid OpenAPI, so it is a map, and each of its servers has a `url`.
  const document = parse(text, { intAsBigInt: true }) as YamlMap & { servers?: Server[] };
  return (base) => {
    const servers = document.servers?.map((server) => withBase(server, base));
    return `${writeJson({ ...document, ...(servers && { servers }) })}\n`;
  };
}

/** A relative URL is relative to the document (OpenAPI 3.0.3, "Server Object"). */
function withBase(server: Server, base: string): Server {
  if (base === '' || !server.url.startsWith('/')) return server;
  // Clients append paths, which begin with a slash, so the URL must not end with one.
  return { ...server, url: `${base}${server.url}`.replace(/\/$/, '') };
}

/** JSON.stringify throws an error at a bigint, so its digits become a marked text first. */
function writeJson(document: YamlMap): string {
  const mark = randomUUID();
  const marked = (_name: string, value: YamlValue) => (typeof value === 'bigint' ? `${mark}${value}` : value);
  return JSON.stringify(document, marked, 2).replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}
