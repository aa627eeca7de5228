/** Writes contracts/repairs.yaml as OpenAPI 3.1, as its author would have written it there. */

const changes: readonly (readonly [written: string, instead: string])[] = [
  ['openapi: 3.0.3', 'openapi: 3.1.0'],
  // A null is a type of JSON Schema, and `nullable` is none of its keywords.
  ['due: { type: string, format: date, nullable: true }', 'due: { type: [string, "null"], format: date }'],
  // Keywords beside a $ref count, so that `allOf` is not needed for them.
  [
    'allOf: [{ $ref: "#/components/schemas/State" }]\n          default: open',
    '$ref: "#/components/schemas/State"\n          default: open',
  ],
];

/**
 * @param text the YAML of contracts/repairs.yaml
 * @throws {Error} if it has not what is to be written in another way
 */
export function asOpenApi31(text: string): string {
  return changes.reduce((written, [from, to]) => {
    if (written.split(from).length !== 2) throw new Error(`The contract has not once: ${from}`);
    return written.replace(from, to);
  }, text);
}
