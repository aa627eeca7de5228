import { messageOf } from './contract-error.js';
import { failure } from './failure.js';
import type { Operation } from './operations.js';
import { compileAnswers } from './response-check.js';

/**
 * What an operation leaves out of its responses, although a request can be answered so before its handler is
 * asked, or because that fails: one sentence, or none.
 */
export function statusFault(operation: Operation): string[] {
  const missing = statusesOnTheWay(operation)
    .filter((status) => !operation.responses.has(status))
    .sort();
  if (missing.length === 0) return [];
  const statuses = missing.join(', ');
  return [`${operation.place}: ${operation.id} can be answered ${statuses}: add that to its responses.`];
}

/** Where such an answer would not have the form that the contract gives it: one sentence, or none. */
export function failureFormFault(operation: Operation): string[] {
  const check = checkOf(operation);
  for (const status of statusesOnTheWay(operation)) {
    const response = operation.responses.get(status);
    if (check === undefined || response?.content === undefined) continue;
    const { body } = failure(status, 'What is wrong.');
    const headers = Object.fromEntries(response.requiredHeaders.map((name) => [name, '']));
    try {
      check(status, headers, body);
    } catch (error) {
      const form = `a failure is answered ${JSON.stringify(body)}, which does not fit`;
      return [
        `${response.content.place}: ${form}: ${messageOf(error)} Change this, or src/contract/failure.ts.`,
      ];
    }
  }
  return [];
}

/** Undefined if a schema is refused, which is said elsewhere. */
function checkOf(operation: Operation): ReturnType<typeof compileAnswers> | undefined {
  try {
    return compileAnswers(operation);
  } catch {
    return undefined;
  }
}

function statusesOnTheWay({ security, requestBody }: Operation): number[] {
  return [
    // Broken HTTP, or a request that does not arrive; a handler that fails.
    ...[400, 408, 500],
    // No token, or none that is good; what knows the tokens cannot be asked.
    ...(security.length > 0 ? [401, 503] : []),
    ...(requestBody === undefined ? [] : [413, 415]),
  ];
}
