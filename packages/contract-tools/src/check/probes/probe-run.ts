/** What each probe works with: the run, and what the operations mean together. */
import type { Operation } from '../../document/operations.js';
import { ask, type JudgedStep } from '../answers/attempt.js';
import { accepted } from '../answers/expectations.js';
import type { Prepared, Purpose } from '../answers/prepared.js';
import type { Run } from '../answers/run.js';
import { isSilence } from '../requests/reply.js';
import { requestFor } from '../requests/request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
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

/**
 * Sends a request by the side of a case, to find out what the answer to that means. It gets another marker or id than
 * the last one.
 *
 * @param values by default, those of the simplest request
 * @returns undefined if there is no such request that touches nothing of somebody else's
 */
export async function askBeside(
  run: ProbeRun,
  operation: Operation,
  values: RequestValues = run.meaning.baseOf(operation),
  focus?: Focus,
): Promise<JudgedStep | undefined> {
  const prepared = await run.meaning.prepare(operation, values, 'accepted', focus);
  if (prepared === undefined) return undefined;
  const request = requestFor(operation, prepared.values, run.accounts.first);
  const step = await ask(run, operation, request, accepted(operation, prepared.statuses));
  if (!isSilence(step.outcome)) prepared.verify?.(step.outcome);
  return step;
}
