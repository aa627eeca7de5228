/**
 * Knows how a caller's credential is sent. A security scheme of the document says where it goes:
 * `Authorization: Bearer …`, `Authorization: Basic …`, or the header, query parameter or cookie of an API key.
 * Nothing else in the checker knows.
 */
import type { Node } from './node.js';

/**
 * A secret with its shell variable: no report ever shows the secret. For HTTP Basic it is `user:password`.
 */
export interface Credential {
  readonly text: string;
  /** The same in a line for Bash, between double quotes: `$CONTRACT_TOKEN`. */
  readonly shell: string;
}

/** OpenAPI 3.0.3, "Security Scheme Object". OAuth 2 and OpenID Connect send a bearer token, too. */
export type Scheme =
  | { readonly kind: 'bearer' }
  | { readonly kind: 'basic' }
  | { readonly kind: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string };

/** A credential at its place in a request. The text of a query parameter is not yet percent-encoded. */
export interface Presented extends Credential {
  readonly in: 'header' | 'query' | 'cookie';
  readonly name: string;
}

export const bearer: Scheme = { kind: 'bearer' };

/** @returns undefined if one text alone does not meet the scheme, as in HTTP Digest */
export function schemeOf(written: Pick<Node, 'text'> | undefined): Scheme | undefined {
  const type = written?.text('type');
  if (type === 'oauth2' || type === 'openIdConnect') return bearer;
  if (type === 'http') {
    // RFC 9110, section 11.1: the name of a scheme is case-insensitive.
    const kind = written?.text('scheme')?.toLowerCase();
    return kind === 'bearer' || kind === 'basic' ? { kind } : undefined;
  }
  const [place, name] = [written?.text('in'), written?.text('name')];
  const isPlace = place === 'header' || place === 'query' || place === 'cookie';
  return type === 'apiKey' && isPlace && name !== undefined ? { kind: 'apiKey', in: place, name } : undefined;
}

/** Puts a credential where its scheme sends it. */
export function present(scheme: Scheme, { text, shell }: Credential): Presented {
  const header = { in: 'header' as const, name: 'Authorization' };
  if (scheme.kind === 'bearer') return { ...header, text: `Bearer ${text}`, shell: `Bearer ${shell}` };
  if (scheme.kind === 'apiKey') return { in: scheme.in, name: scheme.name, text, shell };
  return {
    ...header,
    text: `Basic ${Buffer.from(text).toString('base64')}`,
    shell: `Basic $(printf %s "${shell}" | base64 | tr -d '\\n')`,
  };
}

/** @returns a text that two schemes share if no request can show credentials of both at once */
export function placeOf(scheme: Scheme): string {
  if (scheme.kind !== 'apiKey') return 'header authorization';
  // RFC 9110, section 5.1: the names of headers are case-insensitive.
  return `${scheme.in} ${scheme.in === 'header' ? scheme.name.toLowerCase() : scheme.name}`;
}

/** Returns a link without the query parameters of API keys, which the server may have repeated. */
export function withoutKeys(link: string, schemes: readonly Scheme[]): string {
  const keys = schemes.flatMap((scheme) =>
    scheme.kind === 'apiKey' && scheme.in === 'query' ? `${encodeURIComponent(scheme.name)}=` : [],
  );
  if (keys.length === 0) return link;
  const [path = '', query = ''] = link.split(/\?(.*)/s);
  const kept = query.split('&').filter((part) => !keys.some((key) => part.startsWith(key)));
  return kept.join('') === '' ? path : `${path}?${kept.join('&')}`;
}

/** Names the scheme in words, for a sentence about an operation. */
export function wordsFor(scheme: Scheme): string {
  if (scheme.kind === 'bearer') return 'a bearer token';
  if (scheme.kind === 'basic') return 'HTTP Basic';
  return `an API key in the ${scheme.in === 'query' ? 'query parameter' : scheme.in} ${scheme.name}`;
}

/** Names the content of a variable for the scheme. */
export function contentFor(scheme: Scheme): string {
  if (scheme.kind === 'basic') return 'user:password';
  return scheme.kind === 'bearer' ? 'an access token' : 'an API key';
}

/** Whether a request can carry the credential, so that no other one is sent in its place. */
export function isFit(scheme: Scheme, { text }: Credential): boolean {
  // RFC 6750, section 2.1.
  if (scheme.kind === 'bearer') return /^[A-Za-z0-9._~+/-]+=*$/.test(text);
  // RFC 7617, section 2: the first colon ends the user's name, and there are no control characters.
  if (scheme.kind === 'basic') return /^\P{Cc}*$/u.test(text) && text.includes(':');
  // RFC 6265, section 4.1.1: a cookie has no spaces, quotes, commas, semicolons and backslashes.
  if (scheme.in === 'cookie') return /^[!#-+\--:<-[\]-~]+$/.test(text);
  // RFC 9110, section 5.5: the value of a field does not begin or end with a space.
  return /^[!-~]([ -~]*[!-~])?$/.test(text);
}
