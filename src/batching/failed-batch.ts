import { DatabaseUnavailableError, RefusedStatementError, RolledBackError } from '../errors/database.js';

/** Instead of an item's result: nothing was done for it, because it would have held up the others. It runs alone. */
export const heldUp = Symbol('held up');

/** The others of its batch can succeed without it. */
export function mayBeOneItem(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return error instanceof RolledBackError;
  return !(error instanceof RefusedStatementError);
}

/** PostgreSQL refuses an item for what it is: no lock and no outage. */
export function isOwnFailure(error: unknown): boolean {
  return mayBeOneItem(error) && !(error instanceof RolledBackError);
}
