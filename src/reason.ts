import { getSystemErrorMap } from 'node:util';
import { reasonOf } from './postgres/sqlstate.js';

/** The reason of an error, in the operating system's words instead of a code such as EADDRINUSE. */
export function reasonFor(error: unknown): string {
  // A name with several addresses fails with an error for each, which often say the same.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonFor))].join(', ');
  const number = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
  const [, words] = getSystemErrorMap().get(number) ?? [];
  return words ?? reasonOf(error);
}
