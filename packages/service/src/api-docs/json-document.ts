/**
 * Makes `/openapi.json` from the text of the YAML, with every digit of its numbers, and in its own version of
 * OpenAPI. The form of the contract would not do, because it has the words of another version.
 */
import { randomUUID } from 'node:crypto';
import type { Contract } from '../contract/contract.js';
import { writtenDocument, type YamlMap, type YamlValue } from './written-document.js';

type Server = YamlMap & { url: string };

/**
 * Reads the YAML.
 *
 * @returns a function that writes the document. It takes the base of relative `servers`, such as
 * `https://plants.example/api`, or an empty text if they stay relative
 */
export function jsonDocument(contract: Pick<Contract, 'text'>): (base: string) => string {
  // The text is valid OpenAPI, so each of its servers has a `url`.
  const document = writtenDocument(contract) as YamlMap & { servers?: Server[] };
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
