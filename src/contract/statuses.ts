import type { Operation } from './operations.js';

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

function statusesOnTheWay({ security, requestBody }: Operation): number[] {
  return [
    // Broken HTTP, or a request that does not arrive; a handler that fails.
    ...[400, 408, 500],
    // No token, or none that is good; what knows the tokens cannot be asked.
    ...(security.length > 0 ? [401, 503] : []),
    ...(requestBody === undefined ? [] : [413, 415]),
  ];
}
