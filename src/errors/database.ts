import { reasonOf } from './reason.js';

/** The client may retry. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super(`The database is not available: ${reasonOf(cause)}.`, { cause });
  }
}

export class OverloadError extends DatabaseUnavailableError {
  override readonly name = 'OverloadError';
  /** What is full. */
  readonly reason:
    | 'owner requests in flight'
    | 'requests in flight'
    | 'owner requests'
    | 'requests'
    | 'statements'
    | 'tokens'
    | 'connections'
    | 'owner lists'
    | 'lists'
    | 'JWTs';

  constructor(reason: OverloadError['reason'], message: unknown) {
    super(message);
    this.reason = reason;
  }
}

/** It was not carried out. */
export class WaitedTooLongError extends DatabaseUnavailableError {
  override readonly name = 'WaitedTooLongError';

  constructor(milliseconds: number) {
    super(`the request waited for ${milliseconds / 1_000} s for its turn`);
  }
}

/** The database may have committed the statement. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = 'OutcomeUnknownError';
}

/** Perhaps because of one item: the others of its batch can succeed alone. */
export class RolledBackError extends DatabaseUnavailableError {
  override readonly name = 'RolledBackError';
}

/** PostgreSQL does not run the statement whatever its values are. */
export class RefusedStatementError extends Error {
  override readonly name: string = 'RefusedStatementError';
  /**
   * Whether a table, a column or a right is missing, which the start has seen: the database can be mended.
   */
  readonly isTableChanged: boolean;

  constructor(cause: unknown, isTableChanged: boolean) {
    super(`PostgreSQL refuses the statement: ${reasonOf(cause)}.`, { cause });
    this.isTableChanged = isTableChanged;
  }
}

/**
 * A right is missing, or a row policy refuses one of the rows: PostgreSQL has one SQLSTATE for both (42501).
 */
export class PermissionDeniedError extends RefusedStatementError {
  override readonly name = 'PermissionDeniedError';

  constructor(cause: unknown) {
    super(cause, true);
  }
}
