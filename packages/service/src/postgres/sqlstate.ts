/**
 * Classifies errors by severity and by SQLSTATE (PostgreSQL documentation, appendix A).
 *
 * PostgreSQL has some 250 of these codes, and a caller needs to know only what became of its statement.
 * database.ts asks in this order:
 *
 * 1. The connection broke, so the statement may be committed: `isOutcomeUnknown`.
 * 2. A right is missing, or a row policy refuses a row: `isPermissionDenied`.
 * 3. The statement is wrong whatever its values are: `isRefused`.
 * 4. The database could not do it now (`isUnavailable`). Then it is certainly rolled back (`isRolledBack`), or
 *    was not begun.
 * 5. Anything else is about the values, such as a constraint that a row violates (`violatedConstraint`).
 *
 * An error of node-postgres without a SQLSTATE is about the connection, and counts as unavailable. An error
 * of the severity FATAL or PANIC ends the connection, whatever its code: pgpool 4.3 has the code XX000 for the
 * loss of its PostgreSQL, as PostgreSQL has for a bug. But PostgreSQL translates the severity (lc_messages),
 * and node-postgres does not pass on the untranslated one. So the codes with which PostgreSQL itself ends a
 * connection are listed, too.
 */
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

/**
 * PostgreSQL ends the connection with these states, because a transaction was idle or took too long (settings
 * `idle_in_transaction_session_timeout` and `transaction_timeout`).
 */
const timedOut = ['25P03', '25P04'];

const transientStates = new Set([readOnlyTransaction, lockNotAvailable, ...timedOut]);

/** After an error of one of these severities, PostgreSQL or a pooler closes the connection. */
const endingSeverities: ReadonlySet<string | undefined> = new Set(['FATAL', 'PANIC']);

/**
 * PostgreSQL has not let the service, or a pooler, log in. A pooler passes the error on to a statement that
 * waits for that connection, and was not sent.
 */
const loginFailed = /^(?:28...|3D000|53300)$/;

/** A login that failed with one of these fails again until somebody corrects the URL or the server. */
const loginRefused = /^(?:(?:0A|22|28|3D|42)...|55000)$/;

/** The coordinator of distributed tables reports its own end without a SQLSTATE of its own. */
const coordinatorEnded = 'postmaster was shut down, exiting';

/** @returns whether the database could not do the statement now; false if PostgreSQL refused it */
export function isUnavailable(error: unknown): error is Error {
  if (isOfConnection(error)) return true;
  if (!(error instanceof pg.DatabaseError)) return false;
  return (
    endsConnection(error) ||
    error.message === coordinatorEnded ||
    transientStates.has(sqlStateOf(error)) ||
    transientClasses.has(sqlStateClassOf(error))
  );
}

/**
 * @returns whether the statement may be committed. A connection can break between the commit and its
 * confirmation (class 08, 25P03, 25P04, 57P01 to 57P05, any error that ends it), and the disk can fail while
 * the record of the commit is written (53100 and 58030: PostgreSQL then ends itself, and may find the record
 * when it recovers). 40003 says it in so many words.
 */
export function isOutcomeUnknown(error: unknown): error is Error {
  if (isOfConnection(error)) return true;
  if (!(error instanceof pg.DatabaseError)) return false;
  const state = sqlStateOf(error);
  return (
    (endsConnection(error) && !loginFailed.test(state)) ||
    error.message === coordinatorEnded ||
    timedOut.includes(state) ||
    /^(?:08...|40003|53100|57P0.|58030)$/.test(state)
  );
}

/** @returns whether a login, which has failed with this error, fails again until somebody corrects something */
export function isLoginRefused(error: unknown): boolean {
  return loginRefused.test(sqlStateOf(error));
}

/**
 * @returns whether the connection is as good as before: the statement was rolled back, or a coordinator has lost the
 * server to which it had sent it. pgbouncer's own 08P01 ends the connection
 */
export function keepsConnection(error: Error): boolean {
  if (isRolledBack(error)) return true;
  return error instanceof pg.DatabaseError && error.severity === 'ERROR' && /^080/.test(sqlStateOf(error));
}

function endsConnection({ severity }: pg.DatabaseError): boolean {
  return endingSeverities.has(severity);
}

/**
 * @returns whether there is no connection, or it broke. What PostgreSQL itself says is a DatabaseError. All
 * else that node-postgres passes on comes from Node.js's socket, name look-up or TLS, or is its own Error
 * about the connection. Other names, such as TypeError, are mistakes of the program.
 */
function isOfConnection(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOfConnection);
  if (!(error instanceof Error)) return false;
  // PostgreSQL gives each error a SQLSTATE. Without one, node-postgres has read something else than an answer.
  if (error instanceof pg.DatabaseError) return error.code === undefined;
  return error.name === 'Error';
}

/**
 * @returns whether PostgreSQL has rolled the statement back, and the connection serves on: the statement was
 * cancelled (57014), waited too long for a lock (55P03), or lost against another transaction (class 40)
 */
export function isRolledBack(error: Error): boolean {
  if (error instanceof pg.DatabaseError && endsConnection(error)) return false;
  return isLockTimeout(error) || /^(?:57014|40(?!003)...)$/.test(sqlStateOf(error));
}

/** @returns whether the statement has waited for a lock for longer than `lock_timeout` */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === lockNotAvailable;
}

/** @returns whether the server takes no writes, as a standby */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === readOnlyTransaction;
}

/**
 * @returns whether a prepared statement cannot be run by its name: the name is unknown (26000) or taken
 * (42P05), as behind pgbouncer before 1.21, or its table has changed (0A000). Nothing was run
 */
export function isNameLost(error: unknown): boolean {
  return ['26000', '42P05', '0A000'].includes(sqlStateOf(error));
}

/** @returns whether a right is missing, or a row policy refuses a row: both are 42501 */
export function isPermissionDenied(error: unknown): boolean {
  return sqlStateOf(error) === '42501';
}

/**
 * @returns whether PostgreSQL refuses the statement (class 42). It does so whatever the values are, except
 * for those that a row policy refuses (`isPermissionDenied`)
 */
export function isRefused(error: unknown): boolean {
  return sqlStateOf(error).startsWith('42') && !isNameLost(error);
}

/** @returns whether a table (42P01) or a column (42703) is missing */
export function isTableChanged(error: unknown): boolean {
  return ['42P01', '42703'].includes(sqlStateOf(error));
}

/**
 * @returns the name of the constraint that a row violates (class 23); undefined if it is another error, or
 * PostgreSQL names none. A coordinator passes on only the message of the server that refused the row
 */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || !error.code?.startsWith('23')) return undefined;
  return error.constraint ?? /constraint "([^"]+)"/.exec(error.message)?.[1];
}

/** @returns the two characters of the SQLSTATE's class; `none` if PostgreSQL did not answer */
export function sqlStateClassOf(error: unknown): string {
  return sqlStateOf(error).slice(0, 2) || 'none';
}

/** @returns the SQLSTATE; an empty text if the error is not PostgreSQL's */
function sqlStateOf(error: unknown): string {
  return (error instanceof pg.DatabaseError && error.code) || '';
}
