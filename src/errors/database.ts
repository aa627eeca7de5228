/**
 * The failures of the database, by what may have become of the statement. src/postgres/ tells them apart, and
 * src/batching/ and src/http/error-answers.ts decide by them.
 */
import type { overloads } from './overloads.js';
import { reasonOf } from './reason.js';

/**
 * The database cannot be reached, or did not carry out the request in time. The client may send the request
 * again. The classes that extend this one are answered 503, too, and fail a batch as a whole in the same way.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';

  /** @param beginning says in the log what happened; the cause says why. */
  constructor(cause: unknown, beginning = 'The database is not available') {
    super(`${beginning}: ${reasonOf(cause)}.`, { cause });
  }
}

/**
 * A limit is reached, so the request is refused before anything was done. The database may be well. The
 * reason decides the message for the client (overloads.ts).
 */
export class OverloadError extends DatabaseUnavailableError {
  override readonly name = 'OverloadError';
  readonly reason: keyof typeof overloads;

  constructor(reason: OverloadError['reason'], message: unknown) {
    super(message, 'Refused');
    this.reason = reason;
  }
}

/** The request has waited too long for its turn. It was not carried out. */
export class WaitedTooLongError extends DatabaseUnavailableError {
  override readonly name = 'WaitedTooLongError';

  constructor() {
    super('the time of the request was nearly over before its turn came', 'Refused');
  }
}

/** The database did not confirm the statement, and may have committed it. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = 'OutcomeUnknownError';
}

/**
 * PostgreSQL has rolled the statement back, perhaps because of one item. The others of the batch can succeed
 * alone.
 */
export class RolledBackError extends DatabaseUnavailableError {
  override readonly name = 'RolledBackError';
}

/** PostgreSQL refuses the statement, whatever its values are. */
export class RefusedStatementError extends Error {
  override readonly name: string = 'RefusedStatementError';
  /**
   * Whether a table, a column or a right is missing that was there at the start. Then the answer is a 503,
   * because an operator can mend the database, and otherwise a 500.
   */
  readonly isTableChanged: boolean;

  constructor(cause: unknown, isTableChanged: boolean) {
    super(`PostgreSQL refuses the statement: ${reasonOf(cause)}.`, { cause });
    this.isTableChanged = isTableChanged;
  }
}

/**
 * A right is missing, or a row policy refuses one of the rows. PostgreSQL has one SQLSTATE for both (42501).
 */
export class PermissionDeniedError extends RefusedStatementError {
  override readonly name = 'PermissionDeniedError';

  constructor(cause: unknown) {
    super(cause, true);
  }
}

/**
 * A row violates a constraint that this version has no word for, so it was added under the running service,
 * or by a newer version. PostgreSQL's message, which is in this one, names the constraint.
 */
export class UnknownConstraintError extends RefusedStatementError {
  override readonly name = 'UnknownConstraintError';

  constructor(cause: unknown) {
    super(cause, true);
  }
}
