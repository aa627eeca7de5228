/** The log does not know how tokens are made. It only has to know one when it sees it. */
export const tokenPrefix = 'plant_';

/** Tokens that the log shortens to their prefix, $1 or $2. The lookbehind keeps matching linear. */
export const tokenLike = new RegExp(
  `(${tokenPrefix})[0-9A-Za-z]+|(?<![\\w-])(eyJ)[\\w-]+\\.[\\w-]+\\.[\\w-]*`,
  'g',
);
