import { compileAnswers } from '../answer/response-check.js';
import { messageOf } from '../document/contract-error.js';
import type { Operation } from '../document/operations.js';

/** What the program that serves a contract answers by itself. The contract's layer only checks that it is documented. */
export interface FailurePolicy {
  /** The statuses that an operation can be answered without its handler. */
  statusesOf(operation: Operation): readonly number[];
  /** The body of such an answer. */
  bodyOf(status: number): unknown;
  /** The file that makes these bodies, for the sentence about one that does not fit. */
  readonly madeBy: string;
}

/** Names undocumented statuses that come without the handler. */
export function statusFault(operation: Operation, { statusesOf }: FailurePolicy): string[] {
  const missing = statusesOf(operation)
    .filter((status) => !operation.responses.has(status))
    .sort();
  if (missing.length === 0) return [];
  const statuses = missing.join(', ');
  return [`${operation.place}: ${operation.id} can be answered ${statuses}: add that to its responses.`];
}

export function failureFormFault(operation: Operation, policy: FailurePolicy): string[] {
  const check = checkOf(operation);
  for (const status of policy.statusesOf(operation)) {
    const response = operation.responses.get(status);
    if (check === undefined || response?.content === undefined) continue;
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

/** Another check reports a refused schema. */
function checkOf(operation: Operation): ReturnType<typeof compileAnswers> | undefined {
  try {
    return compileAnswers(operation);
  } catch {
    return undefined;
  }
}
