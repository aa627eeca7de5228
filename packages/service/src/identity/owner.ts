/** Whom a token belongs to, and whose items are read and changed with it. */
export type Owner = string;

/** How many UTF-16 code units the name of an owner has at most. */
export const maxOwnerLength = 255;

/**
 * @returns whether the value may name an owner: it is a text of 1 to 255 UTF-16 code units, without
 * characters of the Unicode category C, such as control characters
 */
export function isOwner(value: unknown): value is Owner {
  return typeof value === 'string' && value.length <= maxOwnerLength && /^[^\p{C}]+$/u.test(value);
}
