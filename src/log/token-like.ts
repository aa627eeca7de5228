/**
 * The beginning of each of the service's own tokens. The log does not know how tokens are made
 * (access/token.ts), but it must know one when it sees it.
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
