import type { Operation } from '../document/operations.js';

/**
 * @returns the media type of a failure that belongs to no operation, such as the 404 of an unknown path: the
 * one that all documented failures have, or else JSON
 */
export function failureTypeOf(operations: readonly Operation[]): string {
  const types = operations.flatMap(({ responses }) =>
    Array.from(responses, ([status, { content }]) => (status < 400 ? undefined : content?.mediaType)),
  );
  const [only, ...others] = new Set(types.filter((type) => type !== undefined));
  return others.length > 0 || only === undefined ? 'application/json' : only;
}
