import type { Operation } from '../document/operations.js';

/** The media type of failures outside of operations: the documented failures' common type, or JSON. */
export function failureTypeOf(operations: readonly Operation[]): string {
  const types = operations.flatMap(({ responses }) =>
    Array.from(responses, ([status, { content }]) => (status < 400 ? undefined : content?.mediaType)),
  );
  const [only, ...others] = new Set(types.filter((type) => type !== undefined));
  return others.length > 0 || only === undefined ? 'application/json' : only;
}
