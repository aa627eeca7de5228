/** Puts the reason of any failure into words: for the log, and for a person at a terminal. */
import { getSystemErrorMap } from 'node:util';

/**
 * @returns the message of an error. A connection to a host with several addresses fails with an
 * AggregateError, which has several
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** @returns the reason for a person: "address already in use" instead of "EADDRINUSE" */
export function reasonForPeople(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonForPeople))].join(', ');
  const number = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
  const [, words] = getSystemErrorMap().get(number) ?? [];
  return words ?? reasonOf(error);
}
