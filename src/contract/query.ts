import { InvalidRequestError } from './request-errors.js';

/** The text of a parameter; an array if its name came more than once. */
export type Texts = string | readonly string[];

/**
 * Fastify leaves query text as it is where its percent-encoding is broken: `%FF` would be the same as `%25FF`.
 * Of parameters that the operation does not name, nothing is read, and so this is not looked at either.
 *
 * @throws {InvalidRequestError} where a parameter of these names is broken
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

/** The texts of these parameters as they were sent, still percent-encoded; of one that came more than once, the last. */
export function encodedTexts(url: string, names: ReadonlySet<string>): Record<string, Texts> {
  // Not what every object has: a parameter may be called `toString`.
  const texts: Record<string, Texts> = Object.create(null);
  for (const pair of pairsOf(url)) {
    const [encodedName = '', ...rest] = pair.split('=');
    const name = decode(encodedName);
    if (name === undefined || !names.has(name)) continue;
    const text = rest.join('=');
    // A list is refused then, whatever is in it: the texts before are not copied for each one more.
    texts[name] = texts[name] === undefined ? text : [text];
  }
  return texts;
}

/** The query begins where it does for Fastify, which takes it from a fragment, too. */
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
 * Text of a query. In it, a plus is a space.
 *
 * @throws {URIError} if the percent-encoding is broken
 */
export function decodeText(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
