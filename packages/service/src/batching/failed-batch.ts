/**
 * Decides by the error of a batch whether its items run again.
 *
 * A statement runs all items of a batch or none, so one bad item fails the others. They can succeed without
 * it, but only if the error may be that of one item:
 *
 * - It may, if a row violates a constraint, if a row policy refuses a row (or a right is missing, which
 *   PostgreSQL reports in the same way), or if PostgreSQL rolled the statement back because of a lock, a
 *   deadlock or a timeout. It also may, if the time of the oldest item was over before the statement was sent.
 * - It may not, if the database is away, if nobody knows whether the batch was committed, or if PostgreSQL
 *   refuses the statement whatever its values are.
 */
import {
  NotSentError,
  PermissionDeniedError,
  RefusedStatementError,
  RolledBackError,
} from '../errors/database.js';
import { ServiceUnavailableError } from '../errors/unavailable.js';

/** @returns whether an item that has this failure alone may succeed if it runs again */
export function mayRunAgain(error: unknown): boolean {
  return error instanceof RolledBackError || error instanceof NotSentError;
}

/** @returns whether the other items of the batch can succeed without one of them */
export function mayBeOneItem(error: unknown): boolean {
  if (error instanceof ServiceUnavailableError) return mayRunAgain(error);
  if (error instanceof RefusedStatementError) return error instanceof PermissionDeniedError;
  return true;
}

/** @returns whether PostgreSQL refuses an item for what it is, and not because of a lock or an outage */
export function isOwnFailure(error: unknown): boolean {
  return mayBeOneItem(error) && !mayRunAgain(error);
}
