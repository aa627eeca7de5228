/**
 * The log does not know how tokens are made, but must know one when it sees it. access/token.ts uses this
 * prefix.
 */
export const tokenPrefix = 'plant_';

/**
 * Matches the service's own tokens and JWTs. The log keeps only the prefix, which is $1 or $2. Without the
 * lookbehind, a long text would take a time that grows with the square of its length.
 */
export const tokenLike = new RegExp(
  `(${tokenPrefix})[0-9A-Za-z]+|(?<![\\w-])(eyJ)[\\w-]+\\.[\\w-]+\\.[\\w-]*`,
  'g',
);
