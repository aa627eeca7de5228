import { reasonOf } from './reason.js';

/** The database cannot answer now. The client may retry. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super(`The database is not available: ${reasonOf(cause)}.`, { cause });
  }
}

/** The service refuses more work at once. */
export class OverloadError extends DatabaseUnavailableError {
  override readonly name = 'OverloadError';
  /** What is full. */
  readonly reason: 'batch' | 'statements' | 'connections' | 'owner lists' | 'lists';

  constructor(reason: OverloadError['reason'], message: unknown) {
    super(message);
    this.reason = reason;
  }
}

/** The connection broke before the answer. The database may have committed the statement. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = 'OutcomeUnknownError';
}

/** The database rolled the statement back, perhaps because of one row. */
export class RolledBackError extends DatabaseUnavailableError {
  override readonly name = 'RolledBackError';
}
