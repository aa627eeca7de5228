/**
 * Finds the texts of an operation's parameters in a request, and undoes their encoding. Each part of a request
 * has its own rules: OpenAPI encodes no headers, a repeated header is one text, and a repeated cookie is
 * ambiguous. Fastify's own query would not do: it reads `%FF` as the three characters "%FF", and it decodes
 * `?tags=a%2Cb,c` before anybody can split it, although an encoded comma belongs to its item.
 */
import type { IncomingMessage } from 'node:http';
import type { Parameter } from '../document/parameters.js';
import { InvalidRequestError } from './request-errors.js';

/** The decoded texts of the parameters in one part of a request, by their names: one text, or those of a list. */
export type PartTexts = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * @param url the target of the request, whose query Fastify begins at "?" or "#"
 * @param parameters those that are read, by their names
 * @throws {InvalidRequestError} if one has a broken percent-encoding, or comes twice although it may not
 */
export function queryTexts(url: string, parameters: ReadonlyMap<string, Parameter>): PartTexts {
  const start = url.search(/[?#]/);
  const occurrences = new Map<Parameter, string[]>();
  for (const pair of start < 0 ? [] : url.slice(start + 1).split('&')) {
    const [encodedName = '', ...rest] = pair.split('=');
    const parameter = parameters.get(decodedForm(encodedName) ?? '');
    if (parameter === undefined) continue;
    const before = occurrences.get(parameter);
    if (before === undefined) occurrences.set(parameter, [rest.join('=')]);
    else before.push(rest.join('='));
  }
  const texts: Record<string, string | string[]> = emptyTexts();
  for (const [{ name, schema, exploded }, encoded] of occurrences) {
    const [only = '', ...others] = encoded;
    if (schema.type === 'array' && exploded) texts[name] = encoded.map(queryText);
    else if (others.length > 0) throw repeated(`query/${name}`);
    else texts[name] = schema.type === 'array' ? only.split(',').map(queryText) : queryText(only);
  }
  return texts;
}

/**
 * The texts of header parameters, which OpenAPI does not encode. Several lines of one name are joined by
 * commas (RFC 9110, section 5.3). `IncomingMessage.headers` would not do: it drops repeated lines of some
 * names.
 *
 * @param names the names as the contract writes them, whose case does not matter
 * @throws {InvalidRequestError} if a text has other characters than those of US-ASCII
 */
export function headerTexts(
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  names: Iterable<string>,
): PartTexts {
  const texts: Record<string, string> = emptyTexts();
  for (const name of names) {
    const lines = headersDistinct[name.toLowerCase()];
    if (lines !== undefined) texts[name] = asciiOnly(lines.join(', '), `header/${name}`);
  }
  return texts;
}

/**
 * The texts of cookie parameters, which the style "form" percent-encodes.
 *
 * @throws {InvalidRequestError} if a text has a broken percent-encoding or other characters than those of
 * US-ASCII, or if a cookie comes twice: nobody knows then which one is meant (RFC 6265, section 4.2.2)
 */
export function cookieTexts(cookie: string, names: ReadonlyMap<string, Parameter>): PartTexts {
  const texts: Record<string, string> = emptyTexts();
  for (const pair of cookie.split(';')) {
    const [writtenName = '', ...rest] = pair.split('=');
    const name = writtenName.trim();
    if (rest.length === 0 || !names.has(name)) continue;
    const where = `cookie/${name}`;
    const text = decoded(asciiOnly(rest.join('=').trim(), where));
    if (text === undefined) throw new InvalidRequestError(`${where} has a broken percent-encoding.`);
    if (texts[name] !== undefined) throw repeated(where);
    texts[name] = text;
  }
  return texts;
}

/** Without a prototype, because a parameter may be called `toString`. */
function emptyTexts<Texts>(): Record<string, Texts> {
  return Object.create(null);
}

function repeated(where: string): InvalidRequestError {
  return new InvalidRequestError(`${where} must not come more than once.`);
}

/**
 * Refuses other characters, because nobody knows which are meant: Node.js reads Latin-1, but many clients
 * send UTF-8.
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

/** In the query, a plus is a space. */
function decodedForm(encoded: string): string | undefined {
  return decoded(encoded.replaceAll('+', ' '));
}

/** @returns undefined if the percent-encoding is broken, or is not that of UTF-8 */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
