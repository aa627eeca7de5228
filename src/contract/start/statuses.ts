import { failure } from '../answer/failure.js';
import { compileAnswers } from '../answer/response-check.js';
import { messageOf } from '../document/contract-error.js';
import type { Operation } from '../document/operations.js';

/** Names undocumented statuses that come without the handler. */
export function statusFault(operation: Operation): string[] {
  const missing = statusesOnTheWay(operation)
    .filter((status) => !operation.responses.has(status))
    .sort();
  if (missing.length === 0) return [];
  const statuses = missing.join(', ');
  return [`${operation.place}: ${operation.id} can be answered ${statuses}: add that to its responses.`];
}

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
        `${response.content.place}: ${form}: ${messageOf(error)} Change this, or src/contract/answer/failure.ts.`,
      ];
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

function statusesOnTheWay({ security, requestBody }: Operation): number[] {
  return [
    // Broken HTTP; a slow request; a handler that fails.
    ...[400, 408, 500],
    // No valid token; too many requests of its owner; no database of tokens.
    ...(security.length > 0 ? [401, 429, 503] : []),
    ...(requestBody === undefined ? [] : [413, 415]),
  ];
}
