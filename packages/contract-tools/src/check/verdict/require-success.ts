/** Tells a server that breaks the contract from one that is another server. */
import { successesOf } from '../../document/statuses.js';
import type { Run } from '../answers/run.js';
import { CannotCheckError } from '../document/cannot-check.js';

/** Many servers answer these to a method that they know nowhere, whatever the path (RFC 9110, 15.5.6, 15.6.2). */
const refusalsOfMethods = [405, 501];

/**
 * Looks at a whole run that found something. At a wrong address, a document may happen to have the status that
 * everything is answered with, such as 404 for an item, so that `requireContract` cannot tell.
 *
 * @throws {CannotCheckError} if no operation has ever succeeded, and all valid requests were answered alike,
 *   with a status that some of them do not document
 */
export function requireSuccess({ description, exchange, recorder }: Run): void {
  const answered = description.operations.map((operation) => ({
    operation,
    ...recorder.answersOf(operation.id),
  }));
  const hasSucceeded = answered.some(({ operation, statuses }) =>
    successesOf(operation).some((status) => statuses.has(status)),
  );
  const all = new Set(answered.flatMap(({ toValid }) => [...toValid]));
  const alike = [...all].filter((status) => !refusalsOfMethods.includes(status));
  const odd = answered.find(({ operation, toValid }) =>
    [...toValid].some((status) => !operation.responses.has(status)),
  );
  if (hasSucceeded || alike.length > 1 || odd === undefined) return;
  const statuses = [...all].sort().join(' or ');
  throw new CannotCheckError(
    `No operation succeeded at ${exchange.url.href}: every valid request was answered ${statuses}, which ${odd.operation.id} does not document. So it is another server, or the base path is wrong: correct --url.`,
  );
}
