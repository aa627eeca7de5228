/** Classifies errors by SQLSTATE (PostgreSQL documentation, appendix A). */
import pg from 'pg';

/** The classes of errors after which the same statement can succeed later. */
const transientClasses = new Set([
  '08', // connection exception
  '40', // transaction rollback
  '53', // insufficient resources
  '57', // operator intervention
  '58', // system error
]);

/** PostgreSQL refuses writes with this state on a standby, or if default_transaction_read_only is set. */
const readOnlyTransaction = '25006';

/** A statement has waited for a lock for longer than `lock_timeout`. */
const lockNotAvailable = '55P03';

const transientStates = new Set([readOnlyTransaction, lockNotAvailable]);

/** Errors of sockets, name look-up and TLS; never a SQLSTATE. */
const networkCode = /^(?:E(?!RR_)|ERR_(?:SSL|TLS)_)/;

/** node-postgres (pg 8) gives these errors no code. */
const driverMessages = [
  'Connection terminated',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
];

/** Citus 13 reports the end of its coordinator without a SQLSTATE of its own. */
const citusEnded = 'postmaster was shut down, exiting';

/** Whether the database could not do the statement now. False if PostgreSQL refused it. */
export function isUnavailable(error: unknown): error is Error {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  if (error.message === citusEnded) return true;
  const code = sqlStateOf(error);
  if (code !== undefined) {
    return networkCode.test(code) || transientStates.has(code) || transientClasses.has(code.slice(0, 2));
  }
  return driverMessages.some((message) => error.message.startsWith(message));
}

/**
 * Whether the statement may be committed: a connection can break between the commit and its confirmation
 * (class 08, 57P01 to 57P03).
 */
export function isOutcomeUnknown(error: Error): boolean {
  const code = sqlStateOf(error);
  if (code === undefined || error.message === citusEnded) return true;
  return networkCode.test(code) || code.startsWith('08') || code.startsWith('57P0');
}

/** Whether PostgreSQL has rolled the statement back: cancelled (57014), lock timeout (55P03) or class 40. */
export function isRolledBack(error: Error): boolean {
  return isLockTimeout(error) || /^(?:57014|40...)$/.test(String(sqlStateOf(error)));
}

export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && sqlStateOf(error) === lockNotAvailable;
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && sqlStateOf(error) === readOnlyTransaction;
}

/**
 * A prepared statement's name is unknown (26000) or taken (42P05), as behind pgbouncer before 1.21, or its
 * table has changed (0A000). Nothing was run.
 */
export function isNameLost(error: unknown): boolean {
  return error instanceof Error && ['26000', '42P05', '0A000'].includes(String(sqlStateOf(error)));
}

/** Insufficient privilege (42501): a right is missing, or a row policy refuses a row. */
export function isPermissionDenied(error: unknown): boolean {
  return error instanceof Error && sqlStateOf(error) === '42501';
}

/** Syntax error or access rule violation (class 42): for all values, but for `isPermissionDenied`. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && String(sqlStateOf(error)).startsWith('42') && !isNameLost(error);
}

/** A table (42P01) or a column (42703) is missing. */
export function isTableChanged(error: unknown): boolean {
  return error instanceof Error && ['42P01', '42703'].includes(String(sqlStateOf(error)));
}

/** The constraint that a row violates (class 23), if PostgreSQL names one. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || !error.code?.startsWith('23')) return undefined;
  return error.constraint;
}

/** Two characters, or `none` if PostgreSQL did not answer. */
export function sqlStateClassOf(error: unknown): string {
  const code = error instanceof Error ? sqlStateOf(error) : undefined;
  return code === undefined || networkCode.test(code) ? 'none' : code.slice(0, 2);
}

/** The SQLSTATE, or a socket error's code. */
function sqlStateOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
