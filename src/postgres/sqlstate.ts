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

/** Citus 13 reports the end of its coordinator without a SQLSTATE of its own. */
const citusEnded = 'postmaster was shut down, exiting';

/** Whether the database could not do the statement now. False if PostgreSQL refused it. */
export function isUnavailable(error: unknown): error is Error {
  if (isOfConnection(error)) return true;
  if (!(error instanceof pg.DatabaseError)) return false;
  return (
    error.message === citusEnded ||
    transientStates.has(sqlStateOf(error)) ||
    transientClasses.has(sqlStateClassOf(error))
  );
}

/**
 * Whether the statement may be committed. A connection can break between the commit and its confirmation
 * (class 08, 57P01 to 57P03), and the disk can fail while the record of the commit is written (53100 and
 * 58030: PostgreSQL then ends itself, and may find the record when it recovers). 40003 says it in so many
 * words.
 */
export function isOutcomeUnknown(error: Error): boolean {
  return (
    isOfConnection(error) ||
    error.message === citusEnded ||
    /^(?:08...|40003|53100|57P0.|58030)$/.test(sqlStateOf(error))
  );
}

/**
 * Whether there is no connection, or it broke. What PostgreSQL itself says is a DatabaseError. All else that
 * node-postgres passes on comes from Node.js's socket, name look-up or TLS, or is its own Error about the
 * connection. Other names, such as TypeError, are mistakes of the program.
 */
function isOfConnection(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOfConnection);
  return error instanceof Error && !(error instanceof pg.DatabaseError) && error.name === 'Error';
}

/** Whether PostgreSQL has rolled the statement back: cancelled (57014), lock timeout (55P03) or class 40. */
export function isRolledBack(error: Error): boolean {
  return isLockTimeout(error) || /^(?:57014|40(?!003)...)$/.test(sqlStateOf(error));
}

export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === lockNotAvailable;
}

export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === readOnlyTransaction;
}

/**
 * A prepared statement's name is unknown (26000) or taken (42P05), as behind pgbouncer before 1.21, or its
 * table has changed (0A000). Nothing was run.
 */
export function isNameLost(error: unknown): boolean {
  return ['26000', '42P05', '0A000'].includes(sqlStateOf(error));
}

/** Insufficient privilege (42501): a right is missing, or a row policy refuses a row. */
export function isPermissionDenied(error: unknown): boolean {
  return sqlStateOf(error) === '42501';
}

/** Syntax error or access rule violation (class 42): for all values, but for `isPermissionDenied`. */
export function isRefused(error: unknown): boolean {
  return sqlStateOf(error).startsWith('42') && !isNameLost(error);
}

/** A table (42P01) or a column (42703) is missing. */
export function isTableChanged(error: unknown): boolean {
  return ['42P01', '42703'].includes(sqlStateOf(error));
}

/** The constraint that a row violates (class 23), if PostgreSQL names one. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || !error.code?.startsWith('23')) return undefined;
  return error.constraint;
}

/** Two characters, or `none` if PostgreSQL did not answer. */
export function sqlStateClassOf(error: unknown): string {
  return sqlStateOf(error).slice(0, 2) || 'none';
}

/** Empty if the error is not PostgreSQL's. */
function sqlStateOf(error: unknown): string {
  return (error instanceof pg.DatabaseError && error.code) || '';
}
