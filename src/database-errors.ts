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
  readonly reason: 'owner requests' | 'requests' | 'statements' | 'connections' | 'owner lists' | 'lists';

  constructor(reason: OverloadError['reason'], message: unknown) {
    super(message);
    this.reason = reason;
  }
}

/** The database may have committed the statement. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = 'OutcomeUnknownError';
}

/** Rolled back, perhaps because of one item: the others of its batch can succeed alone. */
export class RolledBackError extends DatabaseUnavailableError {
  override readonly name = 'RolledBackError';
}
