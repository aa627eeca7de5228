/** Expands the ranges of statuses in types, as document/responses.ts does in values. */

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
/** The first digit of a status that ends a request (RFC 9110, section 15). */
type Class = 2 | 3 | 4 | 5;
type StatusOf<Template extends string> = Template extends `${infer Status extends number}` ? Status : never;

/** The statuses of a key of the YAML: `4XX` → 400 | … 499, `default` → 200 | … 599 */
export type StatusesOf<Key> = Key extends number
  ? Key
  : Key extends `${infer First extends Class}XX`
    ? StatusOf<`${First}${Digit}${Digit}`>
    : Key extends 'default'
      ? StatusOf<`${Class}${Digit}${Digit}`>
      : never;

/** The key that documents a status: its own, or else that of its range, or else `default`. */
export type KeyOf<
  Status extends number,
  Documented,
> = `${Status}` extends `${infer First extends Class}${Digit}${Digit}`
  ? Status extends keyof Documented
    ? Status
    : `${First}XX` extends keyof Documented
      ? `${First}XX`
      : 'default' & keyof Documented
  : never;
