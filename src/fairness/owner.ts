/** The owner of tokens and plants. */
export type Owner = string;

/** In UTF-16 code units. */
export const longestOwner = 255;

export function isOwner(value: unknown): value is Owner {
  return typeof value === 'string' && value.length <= longestOwner && /^[^\p{C}]+$/u.test(value);
}
