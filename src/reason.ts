import { getSystemErrorMap } from 'node:util';
import { reasonOf } from './postgres/sqlstate.js';

/** The operating system's words instead of a code. */
export function reasonFor(error: unknown): string {
  // One error per address of a name.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonFor))].join(', ');
  const number = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
  const [, words] = getSystemErrorMap().get(number) ?? [];
  return words ?? reasonOf(error);
}
