/** Checks that the document has the failures that a request can meet before it reaches its handler. */

import { messageOf } from '../../../exact-json/index.js';
import type { CheckAnswer, Operation } from '../../../service/layer.js';

/**
 * What the program that serves a contract answers without a handler. The contract's layer only checks that
 * the document says so, and so it does not know the form of these answers.
 */
export interface FailurePolicy {
  /** @returns the statuses that a request of the operation can get without its handler */
  statusesOf(operation: Operation): readonly number[];
  /** @returns the body of such an answer */
  bodyOf(status: number): unknown;
  /** The file that makes these bodies, for the sentence about one that does not fit. */
  readonly madeBy: string;
}

/** @returns a fault if a request can get a status without its handler that the operation does not document */
export function statusFault(operation: Operation, { statusesOf }: FailurePolicy): string[] {
  const missing = statusesOf(operation)
    .filter((status) => !operation.responses.has(status))
    .sort();
  if (missing.length === 0) return [];
  const statuses = missing.join(', ');
  return [`${operation.place}: ${operation.id} can be answered ${statuses}: add that to its responses.`];
}

/**
 * @returns a fault if the body of such an answer does not fit the schema that the operation documents for it
 */
export function failureFormFault(operation: Operation, policy: FailurePolicy, check: CheckAnswer): string[] {
  for (const status of policy.statusesOf(operation)) {
    const response = operation.responses.get(status);
    if (response?.content === undefined) continue;
    const body = policy.bodyOf(status);
    const headers = Object.fromEntries(response.requiredHeaders.map((name) => [name, '']));
    try {
      check(status, headers, body);
    } catch (error) {
      const form = `a failure is answered ${JSON.stringify(body)}, which does not fit`;
      return [`${response.content.place}: ${form}: ${messageOf(error)} Change this, or ${policy.madeBy}.`];
    }
  }
  return [];
}
