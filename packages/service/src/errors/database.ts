/**
 * The failures of the database, by what may have become of the statement. packages/service/src/postgres/ tells them apart, and
 * packages/service/src/batching/ and packages/service/src/http/error-answers.ts decide by them.
 */
import { reasonOf } from './reason.js';
import { ServiceUnavailableError } from './unavailable.js';

/** The database cannot be reached, or did not carry out the statement in time. */
export class DatabaseUnavailableError extends ServiceUnavailableError {
  override readonly name: string = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super(`The database is not available: ${reasonOf(cause)}.`, { cause });
  }
}

/**
 * The time of a statement was over before there was a connection for it. If it was for a batch, the others of
 * the batch may have time left.
 */
export class NotSentError extends ServiceUnavailableError {
  override readonly name = 'NotSentError';

  constructor() {
    super('Refused: the time of the request was over before there was a connection to the database.');
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
   * Whether an operator can mend it: a table, a column or a right is missing, or a constraint was added. Then the
   * answer is a 503, and otherwise a 500.
   */
  readonly canBeMended: boolean;

  constructor(cause: unknown, canBeMended: boolean) {
    super(`PostgreSQL refuses the statement: ${reasonOf(cause)}.`, { cause });
    this.canBeMended = canBeMended;
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
