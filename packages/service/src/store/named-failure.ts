/**
 * Turns the violation of a constraint into the word that the table has for it, so that a handler can answer
 * it: a bed whose garden does not exist violates `beds_garden`, and its table calls that `noGarden`.
 */
import { PermissionDeniedError, UnknownConstraintError } from '../errors/database.js';
import { violatedConstraint } from '../postgres/sqlstate.js';

/**
 * Stands for a row policy in `failures`, because a policy is not a constraint and has no name in the error.
 * It is PostgreSQL's name of SQLSTATE 42501. PostgreSQL also answers with this SQLSTATE if a right is
 * missing; then `/ready` says which one.
 */
export const rowPolicy = 'insufficient_privilege';

/**
 * Looks up the word that a table has for the violation of its constraint or row policy.
 *
 * @param failures the table's words, by the names of constraints
 * @throws {UnknownConstraintError} if the table has no word for the constraint
 * @throws {Error} `error` itself, if it is not a violation, or the table has no word for a row policy
 */
export function namedFailure<Failure extends string>(
  failures: Readonly<Record<string, Failure>> = {},
  error: unknown,
): Failure {
  const violated = error instanceof PermissionDeniedError ? rowPolicy : violatedConstraint(error);
  if (violated === undefined) throw error;
  // In a distributed table, the names of a shard's constraints end with its number.
  const failure = failures[violated] ?? failures[violated.replace(/_[0-9]+$/, '')];
  if (failure !== undefined) return failure;
  throw error instanceof PermissionDeniedError ? error : new UnknownConstraintError(error);
}
