/** Whom a token belongs to, and whose items are read and changed with it. */
export type Owner = string;

/** The length is counted in UTF-16 code units. */
export const maxOwnerLength = 255;

export function isOwner(value: unknown): value is Owner {
  return typeof value === 'string' && value.length <= maxOwnerLength && /^[^\p{C}]+$/u.test(value);
}
