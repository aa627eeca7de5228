/** What each probe works with: the run, and what the operations mean together. */
import type { Operation } from '../../document/operations.js';
import type { Prepared, Purpose } from '../answers/prepared.js';
import type { Run } from '../answers/run.js';
import type { Focus } from '../requests/request.js';
import type { Meaning } from '../resources/meaning.js';

export interface ProbeRun extends Run {
  readonly meaning: Meaning;
  /** The operations that are tried now: those of the document, or some of them (../check.ts). */
  readonly operations: readonly Operation[];
}

/**
 * Prepares the simplest request that touches nothing that belongs to somebody else.
 *
 * @returns undefined if there is none
 */
export function preparePlain(
  { meaning }: ProbeRun,
  operation: Operation,
  purpose: Purpose,
  focus?: Focus,
): Promise<Prepared | undefined> {
  return meaning.prepare(operation, meaning.baseOf(operation), purpose, focus);
}
