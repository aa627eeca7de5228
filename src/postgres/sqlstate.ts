/**
 * What an error of PostgreSQL, or of the connection to it, means for the caller (PostgreSQL documentation,
 * appendix A).
 */

/** Classes of SQLSTATE with which the same statement can succeed a little later. */
const transientClasses = new Set([
  '08', // connection exception
  '40', // transaction rollback: serialization failure, deadlock
  '53', // insufficient resources: too many connections, disk full, out of memory
  '57', // operator intervention: shutdown, crash, cannot connect now, query canceled
  '58', // system error outside PostgreSQL itself: I/O
]);

const transientStates = new Set([
  '25006', // read-only transaction: a standby, until the failover is over
  '55P03', // lock not available
]);

/**
 * Errors of sockets and name look-up (ECONNREFUSED, ENOTFOUND), and of TLS (ERR_SSL_…, ERR_TLS_…); never a
 * SQLSTATE.
 */
const networkCode = /^(?:E(?!RR_)|ERR_(?:SSL|TLS)_)/;

/** node-postgres throws these without a code (pg 8, lib/client.js; pg-pool 3, index.js). */
const driverMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
];

/** Whether the database could not be reached or could not work, as opposed to refusing the statement. */
export function isUnavailable(error: unknown): error is Error {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const code = sqlStateOf(error);
  if (code !== undefined) {
    return networkCode.test(code) || transientStates.has(code) || transientClasses.has(code.slice(0, 2));
  }
  return driverMessages.some((message) => error.message.startsWith(message));
}

/**
 * Whether PostgreSQL may have committed the statement all the same. It rolls back what it refuses, but the
 * connection can be lost (class 08, 57P01 to 57P03) between a commit and its confirmation.
 */
export function isOutcomeUnknown(error: Error): boolean {
  const code = sqlStateOf(error);
  return code === undefined || networkCode.test(code) || code.startsWith('08') || code.startsWith('57P0');
}

/** Cancelled (57014), lock timeout (55P03), deadlock or serialization failure (class 40). */
export function isRolledBack(error: Error): boolean {
  return /^(?:57014|55P03|40...)$/.test(String(sqlStateOf(error)));
}

/**
 * Whether a prepared statement failed because of its name, before anything was run: the session does not know
 * the name (26000), has another statement of that name (42P05), or a table has changed since (0A000). A
 * pooler in transaction mode loses names (pgbouncer before 1.21).
 */
export function isNameLost(error: unknown): boolean {
  return error instanceof Error && ['26000', '42P05', '0A000'].includes(String(sqlStateOf(error)));
}

/** The SQLSTATE, or the code of a socket error; undefined if the error has neither. */
function sqlStateOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The reason, for a person. A host name with several addresses fails with one error for each. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
