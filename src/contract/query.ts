import { InvalidRequestError } from './request-errors.js';

/** The text of a parameter; an array if its name came more than once. */
export type Texts = string | readonly string[];

/**
 * Fastify keeps query text whose percent-encoding is broken, so that `%FF` would equal `%25FF`. Parameters
 * that the operation does not name are not read.
 *
 * @throws {InvalidRequestError} if the encoding of a parameter of these names is broken
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

/** The texts of these parameters, still percent-encoded; the last one of a repeated parameter. */
export function encodedTexts(url: string, names: ReadonlySet<string>): Record<string, Texts> {
  // Without inherited members, because a parameter may be called `toString`.
  const texts: Record<string, Texts> = Object.create(null);
  for (const pair of pairsOf(url)) {
    const [encodedName = '', ...rest] = pair.split('=');
    const name = decode(encodedName);
    if (name === undefined || !names.has(name)) continue;
    const text = rest.join('=');
    // A repeated parameter is refused as an array, so the texts before are not kept.
    texts[name] = texts[name] === undefined ? text : [text];
  }
  return texts;
}

/** The query begins at "?" or "#", as for Fastify. */
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

/**
 * Decodes text of a query, in which a plus is a space.
 *
 * @throws {URIError} if the percent-encoding is broken
 */
export function decodeText(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
