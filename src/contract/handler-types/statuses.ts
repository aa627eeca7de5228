type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
/** Final statuses (RFC 9110, section 15). */
type Class = 2 | 3 | 4 | 5;
type StatusOf<Template extends string> = Template extends `${infer Status extends number}` ? Status : never;

/** `4XX` → 400 | … 499, `default` → 200 | … 599 */
export type StatusesOf<Key> = Key extends number
  ? Key
  : Key extends `${infer First extends Class}XX`
    ? StatusOf<`${First}${Digit}${Digit}`>
    : Key extends 'default'
      ? StatusOf<`${Class}${Digit}${Digit}`>
      : never;

/** Its own, else its range, else `default`. */
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
