/**
 * Finds the texts of an operation's parameters in a request, and undoes their encoding. Each part of a request
 * has its own rules: OpenAPI encodes no headers, a repeated header is one text, and a repeated cookie is
 * ambiguous. Fastify's own query would not do: it reads `%FF` as the three characters "%FF", and it decodes
 * `?tags=a%2Cb,c` before anybody can split it, although an encoded comma belongs to its item.
 */
import type { IncomingMessage } from 'node:http';
import type { Parameter } from '../document/parameters.js';
import { InvalidRequestError } from './request-errors.js';

/**
 * The decoded texts of the parameters in one part of a request, in the order of the parameters: one text, or
 * those of a list. Undefined if a parameter is absent.
 */
export type ParameterTexts = readonly (string | readonly string[] | undefined)[];

/** The parameters of an operation in one part of a request. */
export interface LocatedParameters {
  readonly parameters: readonly Parameter[];
  /** The index of each parameter, by its name; that of a header in lower case. */
  readonly indexes: ReadonlyMap<string, number>;
}

/**
 * Finds the texts of query parameters, which the style "form" percent-encodes.
 *
 * @param url the target of the request, whose query Fastify begins at "?" or "#"
 * @throws {InvalidRequestError} if one has a broken percent-encoding, or comes twice although it may not
 */
export function queryTexts(url: string, { parameters, indexes }: LocatedParameters): ParameterTexts {
  const start = url.search(/[?#]/);
  if (start < 0) return [];
  const texts: (string | string[] | undefined)[] = [];
  for (const pair of url.slice(start + 1).split('&')) {
    const [name, encoded] = splitPair(pair);
    const index = indexes.get(decodedForm(name) ?? '');
    if (index === undefined) continue;
    // Each index is that of a parameter.
    const { name: known, isList, exploded } = parameters[index] as Parameter;
    const before = texts[index];
    if (isList && exploded) {
      if (Array.isArray(before)) before.push(queryText(encoded));
      else texts[index] = [queryText(encoded)];
    } else if (before !== undefined) throw repeated(`query/${known}`);
    else texts[index] = isList ? encoded.split(',').map(queryText) : queryText(encoded);
  }
  return texts;
}

/**
 * Finds the texts of header parameters, which OpenAPI does not encode. Several lines of one name are joined by
 * commas (RFC 9110, section 5.3). `IncomingMessage.headers` would not do: it drops repeated lines of some
 * names. Nor would `headersDistinct`: before Node.js 20.20, it throws an error at a header that is called
 * `constructor` or `__proto__`.
 *
 * @throws {InvalidRequestError} if a text has other characters than those of US-ASCII
 */
export function headerTexts(
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
  { parameters, indexes }: LocatedParameters,
): ParameterTexts {
  const texts: (string | undefined)[] = [];
  for (let position = 0; position < rawHeaders.length; position += 2) {
    const index = indexes.get(String(rawHeaders[position]).toLowerCase());
    if (index === undefined) continue;
    const text = asciiOnly(String(rawHeaders[position + 1]), `header/${parameters[index]?.name}`);
    const before = texts[index];
    texts[index] = before === undefined ? text : `${before}, ${text}`;
  }
  return texts;
}

/**
 * Finds the texts of cookie parameters, which the style "form" percent-encodes.
 *
 * @param cookie the header Cookie; an empty text if there is none
 * @throws {InvalidRequestError} if a text has a broken percent-encoding or other characters than those of
 * US-ASCII, or if a cookie comes twice: nobody knows then which one is meant (RFC 6265, section 4.2.2)
 */
export function cookieTexts(cookie: string, { indexes }: LocatedParameters): ParameterTexts {
  const texts: (string | undefined)[] = [];
  for (const pair of cookie.split(';')) {
    const [name, encoded] = splitPair(pair);
    const index = pair.includes('=') ? indexes.get(name.trim()) : undefined;
    if (index === undefined) continue;
    const where = `cookie/${name.trim()}`;
    const text = decoded(asciiOnly(encoded.trim(), where));
    if (text === undefined) throw new InvalidRequestError(`${where} has a broken percent-encoding.`);
    if (texts[index] !== undefined) throw repeated(where);
    texts[index] = text;
  }
  return texts;
}

/** Splits `name=value` at the first "=". Without one, the value is empty. */
function splitPair(pair: string): [name: string, value: string] {
  const end = pair.indexOf('=');
  return end < 0 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
}

function repeated(where: string): InvalidRequestError {
  return new InvalidRequestError(`${where} must not come more than once.`);
}

/**
 * Returns the text as it is, and refuses other characters, because nobody knows which are meant: Node.js
 * reads Latin-1, but many clients send UTF-8.
 *
 * @throws {InvalidRequestError} if the text has other characters than those of US-ASCII
 */
function asciiOnly(text: string, where: string): string {
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  throw new InvalidRequestError(`${where} must consist of US-ASCII characters (RFC 9110, section 5.5).`);
}

function queryText(encoded: string): string {
  const text = decodedForm(encoded);
  if (text === undefined) throw new InvalidRequestError('The query has a broken percent-encoding.');
  return text;
}

/**
 * @returns the text of a part of the query, in which a plus is a space; undefined if its percent-encoding is
 * broken
 */
function decodedForm(encoded: string): string | undefined {
  return decoded(encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded);
}

/** @returns undefined if the percent-encoding is broken, or is not that of UTF-8 */
function decoded(encoded: string): string | undefined {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
