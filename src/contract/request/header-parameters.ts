import type { IncomingMessage } from 'node:http';
import type { Operation } from '../document/operations.js';
import type { JsonObject } from '../json.js';
import { compileParameters, type PartTexts } from './parameter-values.js';
import type { Texts } from './query.js';
import { InvalidRequestError } from './request-errors.js';
import type { Validated } from './value-check.js';

export interface HeaderValues {
  readonly header?: JsonObject;
  readonly cookie?: JsonObject;
}

type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

export function hasHeaderParameters({ parameters }: Pick<Operation, 'parameters'>): boolean {
  return parameters.some(({ in: part }) => part === 'header' || part === 'cookie');
}

/**
 * Makes a function that reads the header and cookie parameters of a request. It throws an InvalidRequestError
 * if one does not fit.
 *
 * @returns undefined if the operation has no such parameters
 * @throws {ContractError} if a schema would go unchecked, or a default does not fit its schema
 */
export function compileHeaderParameters(operation: Operation): ((head: Head) => HeaderValues) | undefined {
  if (!hasHeaderParameters(operation)) return undefined;
  const namesIn = (part: 'header' | 'cookie') =>
    operation.parameters.filter((parameter) => parameter.in === part).map(({ name }) => name);
  const headers = new Map(namesIn('header').map((name) => [name.toLowerCase(), name]));
  const cookies = new Set(namesIn('cookie'));
  const checkHeaders = compileParameters(operation, 'header');
  const checkCookies = compileParameters(operation, 'cookie');
  return ({ headers: { cookie }, rawHeaders }) => ({
    ...(headers.size > 0 && { header: fitting(checkHeaders(headerTexts(rawHeaders, headers))) }),
    ...(cookies.size > 0 && { cookie: fitting(checkCookies(cookieTexts(cookie, cookies))) }),
  });
}

function fitting(outcome: Validated<JsonObject>): JsonObject {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/**
 * The texts of header parameters, which OpenAPI does not encode. Several lines of one name are joined by
 * commas (RFC 9110, section 5.3). `IncomingMessage.headers` would not do: it drops repeated lines of some
 * names.
 */
function headerTexts(rawHeaders: readonly string[], names: ReadonlyMap<string, string>): PartTexts {
  const texts: Record<string, string> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = names.get(String(rawHeaders[index]).toLowerCase());
    if (name === undefined) continue;
    const text = asciiOnly(String(rawHeaders[index + 1]), `header/${name}`);
    const before = texts[name];
    texts[name] = before === undefined ? text : `${before}, ${text}`;
  }
  return texts;
}

/**
 * The texts of cookie parameters, which the style "form" percent-encodes. A repeated name is ambiguous (RFC
 * 6265, section 4.2.2): it becomes a list, which is refused later.
 */
function cookieTexts(cookie = '', names: ReadonlySet<string>): PartTexts {
  const texts: Record<string, Texts> = Object.create(null);
  for (const pair of cookie.split(';')) {
    const [writtenName = '', ...rest] = pair.split('=');
    const name = writtenName.trim();
    if (rest.length === 0 || !names.has(name)) continue;
    const text = decode(asciiOnly(rest.join('=').trim(), `cookie/${name}`), `cookie/${name}`);
    texts[name] = texts[name] === undefined ? text : [text];
  }
  return texts;
}

/**
 * Refuses other characters, because nobody knows which are meant: Node.js reads Latin-1, but many clients
 * send UTF-8.
 */
function asciiOnly(text: string, where: string): string {
  if (/^[\t\x20-\x7e]*$/.test(text)) return text;
  throw new InvalidRequestError(`${where} must consist of US-ASCII characters (RFC 9110, section 5.5).`);
}

function decode(text: string, where: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidRequestError(`${where} has a broken percent-encoding.`);
  }
}
