import { InvalidRequestError } from './request-errors.js';

/** An array if repeated. */
export type Texts = string | readonly string[];

/**
 * Fastify would read the broken `%FF` like `%25FF`.
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

export function encodedTexts(url: string, names: ReadonlySet<string>): Record<string, Texts> {
  // A parameter may be called `toString`.
  const texts: Record<string, Texts> = Object.create(null);
  for (const pair of pairsOf(url)) {
    const [encodedName = '', ...rest] = pair.split('=');
    const name = decode(encodedName);
    if (name === undefined || !names.has(name)) continue;
    const text = rest.join('=');
    // A repeated parameter is refused later.
    texts[name] = texts[name] === undefined ? text : [text];
  }
  return texts;
}

/** Fastify's query begins at "?" or "#". */
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

/** @throws {URIError} */
export function decodeText(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
