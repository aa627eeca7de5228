/**
 * What a failure of PostgreSQL, or of the way to it, means to somebody who waits for an answer.
 *
 * SQLSTATEs: PostgreSQL documentation, appendix A.
 */

/** Classes of SQLSTATE that pass by themselves: the same statement can succeed a little later. */
const passingClasses = new Set([
  '08', // connection exception
  '40', // transaction rollback: serialization failure, deadlock
  '53', // insufficient resources: too many connections, disk full, out of memory
  '57', // operator intervention: shutdown, crash, cannot connect now, query canceled
  '58', // system error outside PostgreSQL itself: I/O
]);

const passingStates = new Set([
  '25006', // read-only transaction: a standby, until the failover is over
  '55P03', // lock not available
]);

/**
 * Of sockets and name look-up (ECONNREFUSED, ENOTFOUND and so on), and of TLS (ERR_SSL_…, ERR_TLS_…). No SQLSTATE begins so,
 * and what Node.js says of wrong code begins with other words behind ERR_.
 */
const networkCode = /^(?:E(?!RR_)|ERR_(?:SSL|TLS)_)/;

/** node-postgres says these with a message only (pg 8, lib/client.js; pg-pool 3, index.js). */
const driverMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
];

/**
 * Whether the database could not be reached or could not work, as opposed to having refused a statement. What
 * fails a connection needs no table: no statement is to blame for it.
 */
export function isUnavailable(error: unknown): error is Error {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const code = sqlStateOf(error);
  if (code !== undefined) {
    return networkCode.test(code) || passingStates.has(code) || passingClasses.has(code.slice(0, 2));
  }
  return driverMessages.some((message) => error.message.startsWith(message));
}

/**
 * Whether a statement that failed with such an error may have been committed all the same. PostgreSQL rolls
 * back what it refuses, so that leaves the loss of the connection, and its announcement (class 08, 57P01 to
 * 57P03), which can come between a commit and the word of it.
 */
export function isOutcomeUnknown(error: Error): boolean {
  const code = sqlStateOf(error);
  return code === undefined || networkCode.test(code) || code.startsWith('08') || code.startsWith('57P0');
}

/** Cancelled, a lock that did not come in time, a deadlock, an order that could not be found. */
export function isRolledBack(error: Error): boolean {
  return /^(?:57014|55P03|40...)$/.test(String(sqlStateOf(error)));
}

/**
 * Whether a prepared statement failed for its name alone, so that nothing of it was run: the session does not know the name
 * (26000), has another statement under it (42P05), or a table has changed since (0A000).
 * A pooler that lends out a session for one transaction loses names (pgbouncer before 1.21).
 */
export function isNameLost(error: unknown): boolean {
  return error instanceof Error && ['26000', '42P05', '0A000'].includes(String(sqlStateOf(error)));
}

/** The SQLSTATE, or the code of a socket error; undefined where the error has neither. */
function sqlStateOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Why, for a person. A name that has several addresses fails with one error for each. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
