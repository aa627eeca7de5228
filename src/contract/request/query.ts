import { InvalidRequestError } from './request-errors.js';

/** The text of a parameter; an array if the parameter is repeated. */
export type Texts = string | readonly string[];

/**
 * Refuses a broken percent-encoding, because Fastify would read `%FF` as the three characters "%FF".
 *
 * @throws {InvalidRequestError} if a named parameter's encoding is broken
 */
export function checkEncoding(url: string, names: ReadonlySet<string>): void {
  if (!url.includes('%') || decode(url) !== undefined) return;
  for (const pair of pairsOf(url)) {
    const [name = ''] = pair.split('=');
    if (names.has(decode(name) ?? '') && decode(pair) === undefined) {
      throw new InvalidRequestError('The query has a broken percent-encoding.');
    }
  }
}

/** @returns the named parameters of a URL, still percent-encoded */
export function encodedTexts(url: string, names: ReadonlySet<string>): Record<string, Texts> {
  // Without a prototype, because a parameter may be called `toString`.
  const texts: Record<string, Texts> = Object.create(null);
  for (const pair of pairsOf(url)) {
    const [encodedName = '', ...rest] = pair.split('=');
    const name = decode(encodedName);
    if (name === undefined || !names.has(name)) continue;
    const text = rest.join('=');
    // A list says that the parameter was repeated. Which texts it had does not matter, because it is refused
    // later.
    texts[name] = texts[name] === undefined ? text : [text];
  }
  return texts;
}

/** The pairs of the query, which begins at "?" or "#" for Fastify. */
function pairsOf(url: string): string[] {
  const start = url.search(/[?#]/);
  return start < 0 ? [] : url.slice(start + 1).split('&');
}

function decode(text: string): string | undefined {
  try {
    return decodeText(text);
  } catch {
    return undefined;
  }
}

/** @throws {URIError} if the percent-encoding is broken */
export function decodeText(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
