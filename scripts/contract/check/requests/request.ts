/** Writes a request from the values of the operation's parameters and body. */

import type { Presented } from '../../document/credentials.js';
import type { Operation } from '../../document/operations.js';
import type { Request as WrittenRequest } from '../../kit/http/connection.js';
import { type Value, writeJson } from '../../values/json.js';
import type { Account } from '../document/accounts.js';
import type { Text } from '../values/parameter-text.js';

export interface Request extends WrittenRequest {
  /** Neither `headers` nor `target` contain them, so that no report shows them. Each has a place of its own. */
  readonly credentials?: readonly Presented[] | undefined;
}

/** The parts of a request before it is written. Text is not yet percent-encoded. */
export interface RequestValues {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, Text>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
  readonly body: Value | undefined;
}

/** The part of a request that a case is about; a meaning must not change it. */
export interface Focus {
  readonly part: 'body' | 'path' | 'query' | 'header' | 'cookie';
  /** A JSON pointer into the body, or a parameter's name. */
  readonly where: string;
}

/**
 * @param values all parameters and the body; nothing is filled in
 * @param account has the credentials that the operation asks for; by default there are none
 */
export function requestFor(operation: Operation, values: RequestValues, account?: Account): Request {
  const { mediaType } = operation.body ?? {};
  const body = values.body === undefined ? undefined : Buffer.from(writeJson(values.body));
  return {
    method: operation.method,
    target: targetFor(operation, values),
    headers: [
      ...Object.entries(values.headers),
      ...cookieHeader(values.cookies),
      ...(body && mediaType !== undefined ? [['Content-Type', mediaType] as const] : []),
    ],
    credentials: account?.shown(operation),
    body,
  };
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
