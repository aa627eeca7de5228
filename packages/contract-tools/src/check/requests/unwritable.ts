/**
 * Leaves out the operations that need a value that nothing here can find, such as a text of a pattern that
 * JavaScript cannot read. It makes values of each schema before the run begins: within the run, such an
 * operation would end everything with a NoValueError. So the makers of requests do not expect that error.
 */
import fc from 'fast-check';
import type { Operation } from '../../document/operations.js';
import { anyValue, NoValueError, plainValue } from '../../values/valid-values.js';
import type { Description } from '../document/description.js';
import { leaveOut, type Narrowed } from '../document/leave-out.js';
import { plainText } from '../values/carried-texts.js';

const samplesTried = 20;

/** @returns the description without these operations; the same description if there are none */
export function withoutUnwritable(description: Description): Narrowed {
  return leaveOut(description, whyUnwritable);
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
