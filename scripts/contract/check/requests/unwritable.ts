/**
 * Leaves out the operations that need a value that nothing here can find, such as a text of a pattern that
 * JavaScript cannot read. It makes values of each schema before the run begins: within the run, such an
 * operation would end everything with a NoValueError. So the makers of requests do not expect that error.
 */
import fc from 'fast-check';
import type { Operation } from '../../document/operations.js';
import { anyValue, NoValueError, plainValue } from '../../values/valid-values.js';
import type { Description } from '../document/description.js';
import { plainText } from '../values/carried-texts.js';

const samplesTried = 20;

interface Writable {
  readonly description: Description;
  /** A sentence for each operation that is left out. They are among `excluded` of the description. */
  readonly leftOut: readonly string[];
}

/** @returns the description without these operations; the same description if there are none */
export function withoutUnwritable(description: Description): Writable {
  const found = description.operations.flatMap((operation) => {
    const { id, node } = operation;
    const why = whyUnwritable(operation);
    return why === undefined ? [] : [{ id, why, node }];
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

function whyUnwritable({ parameters, body }: Operation): string | undefined {
  const schemas = [...parameters.map(({ schema }) => schema), ...(body ? [body.schema] : [])];
  try {
    for (const parameter of parameters) plainText(parameter);
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
