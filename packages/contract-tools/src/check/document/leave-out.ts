import type { Operation } from '../../document/operations.js';
import type { Description } from './description.js';

export interface Narrowed {
  readonly description: Description;
  /** A sentence for each operation that is left out. They are among `excluded` of the description. */
  readonly leftOut: readonly string[];
}

/**
 * Leaves operations out of a description.
 *
 * @param whyNot the reason why an operation cannot be tried; undefined if it can
 * @returns the description without these operations; the same description if there are none
 */
export function leaveOut(
  description: Description,
  whyNot: (operation: Operation) => string | undefined,
): Narrowed {
  const found = description.operations.flatMap((operation) => {
    const { id, node, method, path } = operation;
    const why = whyNot(operation);
    return why === undefined ? [] : [{ id, why, node, method, path }];
  });
  // Descriptions that differ only in the media type of the body are one operation.
  const excluded = new Map(found.map((one) => [one.id, one]));
  if (excluded.size === 0) return { description, leftOut: [] };
  const kept = (operations: readonly Operation[]): Operation[] =>
    operations.filter(({ id }) => !excluded.has(id));
  return {
    description: {
      ...description,
      operations: kept(description.operations),
      excluded: [...description.excluded, ...excluded.values()],
      paths: new Map(
        Array.from(description.paths, ([path, operations]) => [path, kept(operations)] as const).filter(
          ([, operations]) => operations.length > 0,
        ),
      ),
    },
    leftOut: Array.from(excluded.values(), ({ id, why }) => `${id} is left out: ${why}`),
  };
}
