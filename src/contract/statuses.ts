import { messageOf } from './contract-error.js';
import { failure } from './failure.js';
import type { Operation } from './operations.js';
import { compileAnswers } from './response-check.js';

/**
 * A sentence about statuses that an operation does not document, although the service can answer them before
 * the handler is called, or if it fails; none if all are documented.
 */
export function statusFault(operation: Operation): string[] {
  const missing = statusesOnTheWay(operation)
    .filter((status) => !operation.responses.has(status))
    .sort();
  if (missing.length === 0) return [];
  const statuses = missing.join(', ');
  return [`${operation.place}: ${operation.id} can be answered ${statuses}: add that to its responses.`];
}

/** A sentence if such an answer would not fit its documented schema. */
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

/** Undefined if a schema is refused, which another check reports. */
function checkOf(operation: Operation): ReturnType<typeof compileAnswers> | undefined {
  try {
    return compileAnswers(operation);
  } catch {
    return undefined;
  }
}

function statusesOnTheWay({ security, requestBody }: Operation): number[] {
  return [
    // Broken HTTP; a request that does not arrive in time; a handler that fails.
    ...[400, 408, 500],
    // No good token; the database of the tokens is not available.
    ...(security.length > 0 ? [401, 503] : []),
    ...(requestBody === undefined ? [] : [413, 415]),
  ];
}
