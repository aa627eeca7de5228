/** Leaves out the operations that need a value that nothing here can find. */
import fc from 'fast-check';
import { anyValue, NoValueError, plainValue } from '../values/valid-values.js';
import type { Description, Operation } from './description.js';

const samplesTried = 20;

interface Writable {
  readonly description: Description;
  /** A sentence for each operation that is left out. */
  readonly leftOut: readonly string[];
}

export function withoutUnwritable(description: Description): Writable {
  const reasons = new Map(
    description.operations.flatMap((operation) => {
      const reason = whyUnwritable(operation);
      return reason === undefined ? [] : [[operation.id, reason]];
    }),
  );
  if (reasons.size === 0) return { description, leftOut: [] };
  const kept = (operations: readonly Operation[]): Operation[] =>
    operations.filter(({ id }) => !reasons.has(id));
  return {
    description: {
      ...description,
      operations: kept(description.operations),
      paths: new Map(
        Array.from(description.paths, ([path, operations]) => [path, kept(operations)] as const).filter(
          ([, operations]) => operations.length > 0,
        ),
      ),
    },
    leftOut: Array.from(reasons, ([id, reason]) => `${id} is left out: ${reason}`),
  };
}

function whyUnwritable({ parameters, body }: Operation): string | undefined {
  const schemas = [...parameters.map(({ schema }) => schema), ...(body ? [body.schema] : [])];
  try {
    for (const schema of schemas) {
      plainValue([schema]);
      fc.sample(anyValue([schema]), { seed: 0, numRuns: samplesTried });
    }
    return undefined;
  } catch (error) {
    if (error instanceof NoValueError) return error.message;
    throw error;
  }
}
