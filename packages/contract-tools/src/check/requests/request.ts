/** Writes a request from the values of the operation's parameters and body. */

import { randomUUID } from 'node:crypto';
import type { Request as WrittenRequest } from '../../base/http/connection.js';
import type { Presented } from '../../document/credentials.js';
import { isReadAsJson } from '../../document/media-types.js';
import type { Operation } from '../../document/operations.js';
import { fits } from '../../values/valid-values.js';
import type { Account } from '../document/accounts.js';
import { plainRequest } from './plain-request.js';
import type { RequestValues } from './request-values.js';
import { writeBody } from './write-body.js';

export interface Request extends WrittenRequest {
  /** Neither `headers` nor `target` contain them, so that no report shows them. Each has a place of its own. */
  readonly credentials?: readonly Presented[] | undefined;
}

/**
 * @param values all parameters and the body; nothing is filled in
 * @param account has the credentials that the operation asks for; by default there are none
 */
export function requestFor(operation: Operation, values: RequestValues, account?: Account): Request {
  const { base } = operation;
  const written =
    operation.body === undefined || values.body === undefined
      ? undefined
      : writeBody(operation.body, values.body);
  return {
    method: operation.method,
    target: targetFor(operation, values),
    ...(base !== undefined && { base }),
    headers: [
      ...acceptOf([...operation.responses.values()].flatMap(({ content }) => [...content.keys()])),
      ...Object.entries(withFreshKey(operation, values.headers)),
      ...cookieHeader(values.cookies),
      ...(written ? [['Content-Type', written.contentType] as const] : []),
    ],
    credentials: account?.shown(operation),
    body: written?.bytes,
  };
}

/**
 * What a client that was made from the document accepts. Servers with several forms of an answer choose by it, and
 * some send a page of HTML to who does not name JSON. Only JSON can be judged here, so it comes first.
 */
export function acceptOf(types: readonly string[]): Request['headers'] {
  const named = [...new Set(types)];
  const json = named.filter(isReadAsJson);
  const others = named
    .filter((type) => !json.includes(type))
    .map((type) => (json.length > 0 ? `${type};q=0.5` : type));
  const all = [...json, ...others];
  return [['Accept', all.length > 0 ? all.join(', ') : 'application/json, */*;q=0.5']];
}

/** Whether a header has a key by which a server knows a request that is sent again. */
export function isKeyOfRetries(name: string): boolean {
  return /^(?:x-)?idempotency-key$/i.test(name);
}

/** Gives each request a key of its own, unless the case is about the key. */
function withFreshKey(operation: Operation, headers: RequestValues['headers']): RequestValues['headers'] {
  // A case may be about the key under its name in other letters.
  const keysIn = (all: RequestValues['headers']): string =>
    JSON.stringify(Object.entries(all).filter(([name]) => isKeyOfRetries(name)));
  const isOwn = keysIn(headers) !== keysIn(plainRequest(operation).headers);
  return isOwn ? headers : { ...headers, ...freshKeyOf(operation) };
}

/** @returns the header with a new key; undefined if the operation has none, or none that can be made */
export function freshKeyOf({ parameters }: Operation): Readonly<Record<string, string>> | undefined {
  const parameter = parameters.find(({ in: place, name }) => place === 'header' && isKeyOfRetries(name));
  if (parameter === undefined) return undefined;
  const fresh = [randomUUID(), randomUUID().replaceAll('-', '').slice(0, 16)].find((key) =>
    fits([parameter.schema], key),
  );
  return fresh === undefined ? undefined : { [parameter.name]: fresh };
}

/** RFC 6265, section 4.2.1. The style "form" asks for values in percent-encoding. */
function cookieHeader(cookies: RequestValues['cookies']): (readonly [string, string])[] {
  const pairs = Object.entries(cookies).map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return pairs.length === 0 ? [] : [['Cookie', pairs.join('; ')]];
}

/** Replaces the headers of the body, and keeps all others. */
export function withBodyHeaders(request: Request, headers: Request['headers']): Request {
  const others = request.headers.filter(([name]) => !name.toLowerCase().startsWith('content-'));
  return { ...request, headers: [...others, ...headers] };
}

/**
 * Fills in the path, and appends the query. A parameter of the path without a value becomes an empty segment.
 */
export function targetFor(
  { path, parameters }: Operation,
  values: Pick<RequestValues, 'path'> & Partial<RequestValues>,
): string {
  const query = Object.entries(values.query ?? {}).flatMap(([name, text]) => {
    const texts = [text].flat().map(encodeURIComponent);
    const parameter = parameters.find((one) => one.in === 'query' && one.name === name);
    const written = parameter?.exploded === false ? [texts.join()] : texts;
    return written.map((part) => `${encodeURIComponent(name)}=${part}`);
  });
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) =>
    encodeURIComponent(values.path[name] ?? ''),
  );
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** Adds headers of the user's, unless the request is about one of that name. */
export function withHeaders(request: Request, headers: readonly Presented[]): Request {
  const own = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const further = headers.filter(({ name }) => !own.has(name.toLowerCase()));
  return { ...request, credentials: [...(request.credentials ?? []), ...further] };
}

/** Returns the request as it goes over the wire, with the credentials. */
export function written({ credentials = [], ...request }: Request): WrittenRequest {
  return credentials.reduce(withCredential, request);
}

function withCredential(request: WrittenRequest, { in: place, name, text }: Presented): WrittenRequest {
  const { target, headers } = request;
  if (place === 'header') return { ...request, headers: [[name, text], ...headers] };
  if (place === 'query') {
    const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
    return { ...request, target: `${target}${target.includes('?') ? '&' : '?'}${parameter}` };
  }
  // RFC 6265, section 5.4: a request has one header Cookie at most.
  const [cookies, others] = partCookies(headers);
  return { ...request, headers: [['Cookie', [`${name}=${text}`, ...cookies].join('; ')], ...others] };
}

/** The cookies of a request, and its headers without them. */
export function partCookies(headers: Request['headers']): [readonly string[], Request['headers']] {
  const isCookie = ([name]: readonly [string, string]): boolean => name.toLowerCase() === 'cookie';
  return [headers.filter(isCookie).map(([, value]) => value), headers.filter((header) => !isCookie(header))];
}
