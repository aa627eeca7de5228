import {
  DatabaseUnavailableError,
  PermissionDeniedError,
  RefusedStatementError,
  RolledBackError,
} from '../errors/database.js';

/**
 * The result of an item for which nothing was done, because it would have blocked the others. It runs alone.
 */
export const blocked = Symbol('blocked');

/** Whether the other items of the batch can succeed without one of them. */
export function mayBeOneItem(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return error instanceof RolledBackError;
  if (error instanceof RefusedStatementError) return error instanceof PermissionDeniedError;
  return true;
}

/** Whether PostgreSQL refuses an item for what it is, and not because of a lock or an outage. */
export function isOwnFailure(error: unknown): boolean {
  return mayBeOneItem(error) && !(error instanceof RolledBackError);
}
