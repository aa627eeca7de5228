/** A row of the table of breaking changes: an edit of a contract, and the verdict on it. */

export type Value = string | number | bigint | boolean | readonly Value[] | { readonly [key: string]: Value };

/** A place is written as its keys with spaces between: no key of the two documents has a space. */
export type Edit =
  | readonly ['set', place: string, value: Value]
  | readonly ['remove', place: string]
  | readonly ['move', from: string, to: string]
  | readonly ['copy', from: string, to: string];

export interface Case {
  readonly name: string;
  readonly document: 'plants' | 'garden';
  /** Edits of both contracts first, then of the old one or of the new one only. */
  readonly both?: readonly Edit[];
  readonly base?: readonly Edit[];
  readonly next?: readonly Edit[];
  /** `none`: consumers see no difference, so nothing may be reported. */
  readonly verdict: 'breaking' | 'compatible' | 'none';
  /** The operation that must be reported with this verdict. */
  readonly operation?: string;
  /** The place that must be reported: in the new contract, or after `old:` in the old one. */
  readonly at?: string;
}
