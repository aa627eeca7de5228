/**
 * Writes a value as JSON: equal values as the same text, and different values as different texts. So members
 * are sorted, and 1, 1.0 and 1n are the same number (JSON Schema Wright-00, section 3.6).
 *
 * @throws {TypeError} if it has a Date, a Set or any other object of a class, which would become `{}` or a text
 */
export function exactJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return String(Number.isInteger(value) ? BigInt(value) : value);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (!isPlainObject(value))
    throw new TypeError(
      `${value.constructor.name} is not a type of JSON: give the text or number that the contract's format names.`,
    );
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${exactJson(member)}`);
  return `{${members.join(',')}}`;
}

/** @returns whether it is an object as a literal or `parseJson` makes it: its prototype extends nothing */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
