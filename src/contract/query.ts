import { InvalidRequestError } from './request-errors.js';

/**
 * Fastify leaves query text as it is where its percent-encoding is broken: `%FF` would be the same as `%25FF`.
 * Of parameters that the operation does not name, nothing is read, and so this is not looked at either.
 *
 * @throws {InvalidRequestError} where a parameter of these names is broken
 */
export function checkEncoding(url: string, names: ReadonlySet<string>): void {
  if (!url.includes('%') || decode(url) !== undefined) return;
  const pairs = url.slice(url.indexOf('?') + 1).split('&');
  for (const pair of pairs) {
    const [name = ''] = pair.split('=');
    if (names.has(decode(name) ?? '') && decode(pair) === undefined) {
      throw new InvalidRequestError('The query has a broken percent-encoding.');
    }
  }
}

function decode(text: string): string | undefined {
  try {
    // In a query, a plus is a space.
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
