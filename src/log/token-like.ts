/**
 * The beginning of each of the service's own tokens. The log does not know how tokens are made
 * (access/token.ts), but it must know one when it sees it.
 */
export const tokenPrefix = 'plant_';

/** The characters of base64 that encode the prefix, whatever comes before it, as in `user:plant_…`. */
const prefixInBase64 = [0, 1, 2].map((before) => {
  const encoded = Buffer.from(`${'-'.repeat(before)}${tokenPrefix}`).toString('base64');
  // A character holds six bits. Those that also hold bits of a neighbour of the prefix are left out.
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + tokenPrefix.length) * 8) / 6));
});

/**
 * Matches the service's own tokens and JWTs, also in base64. Their case does not matter: in upper case, a
 * token has lost less than a bit of each letter, and the rest could be guessed. `kept` is the part that the
 * log shows. Without the lookbehinds, a long text would take a time that grows with the square of its length.
 */
const tokenLike = new RegExp(
  [
    `(${tokenPrefix})[0-9a-z]+`,
    '(?<![\\w-])(eyj)[\\w-]+\\.[\\w-]+\\.[\\w-]*',
    `(${prefixInBase64.join('|')})[\\w+/=-]+`,
    // These four characters are "eyJ", with which every JWT begins.
    '(?<![\\w-])(ZXlK)[\\w+/=-]+',
  ].join('|'),
  'gi',
);

/** @returns whether a token is in the text */
export function holdsToken(text: string): boolean {
  return text.search(tokenLike) >= 0;
}

/** @returns the text, in which "…" stands for the secret part of each token */
export function withoutTokens(text: string): string {
  return text.replaceAll(tokenLike, '$1$2$3$4…');
}
