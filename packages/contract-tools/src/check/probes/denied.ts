import type { Operation } from '../../document/operations.js';
import { absences } from '../../document/statuses.js';
import type { Call } from '../resources/call.js';
import type { RowTrial } from './trial.js';

/** Ends a sentence about another owner who was not refused. */
export const doubt = '(or the two tokens belong to one owner)';
/** Statuses that refuse somebody; any other is about the request. */
export const denials: readonly number[] = [401, 403, ...absences];

/**
 * Records what is wrong with the answer to a request of the second owner that did not succeed. A server that
 * fails has not refused it. Whether a refusal is documented is a matter of the rule `documented-refusals`.
 */
export function judgeDenial(trial: RowTrial, operation: Operation, call: Call): void {
  const isFailure = call.status === undefined || call.status >= 500;
  if (isFailure || trial.isOn('documented-refusals')) trial.judge(operation, 'is refused', call, [call]);
}
