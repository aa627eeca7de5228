import { getSystemErrorMap } from 'node:util';
import { reasonOf } from './postgres/sqlstate.js';

/** Why, for a person who may never have read "EADDRINUSE": in the words of the operating system, if it was that. */
export function reasonFor(error: unknown): string {
  // A name that has several addresses fails with one error for each, mostly the same.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonFor))].join(', ');
  const number = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
  const [, words] = getSystemErrorMap().get(number) ?? [];
  return words ?? reasonOf(error);
}
