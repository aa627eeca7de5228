import { createHash } from 'node:crypto';
import pg, { type QueryResult, type QueryResultRow } from 'pg';
import { cancel } from './cancel.js';
import { isNameLost, isOutcomeUnknown, isRolledBack, isUnavailable, reasonOf } from './sqlstate.js';

/** PostgreSQL cannot be reached, cannot work, or is overloaded. The client may send the request again. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super(`The database is not available: ${reasonOf(cause)}.`, { cause });
  }
}

/** The connection was lost after the statement was sent. Nobody knows whether PostgreSQL committed it. */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = 'OutcomeUnknownError';
}

/**
 * PostgreSQL rolled the statement back, after a timeout, a deadlock or a serialization failure. One row may
 * be the cause.
 */
export class RolledBackError extends DatabaseUnavailableError {
  override readonly name = 'RolledBackError';
}

export interface Statement {
  /** Prepared under this name on each connection, so that PostgreSQL parses and plans it once. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Whether it only reads, so that it can always be sent again. */
  readonly reads?: true;
}

/**
 * Creates, look-ups, deletes and first pages have at most two statements in flight each. If all eight wait
 * for a lock, two connections are left for tokens and everything else.
 */
const maxConnections = 10;
/** Statements that wait for a connection. The service refuses the next one at once. */
const maxWaitingStatements = 1_000;
/**
 * Milliseconds. A `statement` reads or writes a few rows by their key, so one that takes longer is stuck, and
 * is cancelled. `use` bounds the life of a connection, and with it the life of a plan that PostgreSQL made
 * when the table was small.
 */
const defaultTimes = { connect: 3_000, statement: 8_000, use: 20_000 };
const idleTimeoutMs = 30_000;
/** How long to wait for the end of a statement that was cancelled, before the connection is given up. */
const cancelTimeoutMs = 2_000;

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** Tells the operator about an error. */
export type Report = (error: unknown, message: string) => void;

/** A pool of connections. A statement fails with its own error, or with a `DatabaseUnavailableError`. */
export class Database {
  readonly #pool: pg.Pool;
  readonly #report: Report;
  readonly #timeout: number;
  readonly #names = new Map<string, string>();
  #prepares = true;

  /**
   * @param url `postgresql://…`
   * @param report called if an idle connection breaks (without a listener it would end the process,
   *   node-postgres#2635), and if a pooler loses prepared statements
   * @param times instead of the defaults
   */
  constructor(url: string, report: Report, times: Partial<typeof defaultTimes> = {}) {
    const { connect, statement, use } = { ...defaultTimes, ...times };
    this.#report = report;
    this.#timeout = statement;
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'plant-store',
      max: maxConnections,
      connectionTimeoutMillis: connect,
      idleTimeoutMillis: idleTimeoutMs,
      maxLifetimeSeconds: use / 1_000,
      keepAlive: true,
    });
    this.#pool.on('error', (error) => {
      // The embedded PostgreSQL may end before its last connection has.
      if (!this.#pool.ending) report(error, 'lost a database connection');
    });
    // A connection that breaks in use fails its query, and emits an event that would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Runs one statement as a transaction of its own, which is committed when this returns.
   *
   * @throws {OutcomeUnknownError} if it may have been committed
   * @throws {RolledBackError} if it was rolled back, perhaps because of one row
   * @throws {DatabaseUnavailableError} if it was not run, and trying again later can help
   */
  async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    if (statement.name === undefined || !this.#prepares) return this.#run(statement);
    try {
      return await this.#run({ ...statement, name: this.#nameOf(statement.name, statement.text) });
    } catch (error) {
      if (!isNameLost(error)) throw error;
      if (this.#prepares) this.#report(error, 'prepared statements fail, so none are prepared from now on');
      this.#prepares = false;
      return this.#run(statement);
    }
  }

  /**
   * The name holds a digest of the text: behind a pooler, another version of the service may use the same
   * name.
   */
  #nameOf(name: string, text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const made = `${name} ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    this.#names.set(text, made);
    return made;
  }

  async #run<Row extends QueryResultRow>({
    name,
    text,
    values = [],
    reads,
  }: Statement): Promise<QueryResult<Row>> {
    const client = await this.#connect();
    const query = { text, values: [...values], ...(this.#prepares && name !== undefined && { name }) };
    let cancelled = false;
    // node-postgres's promises and its query_timeout keep each result until the next full garbage collection
    // (pg 8.23), so this uses a callback and its own timers (docs/benchmarks.md).
    const outcome = new Promise<QueryResult<Row>>((resolve, reject) => {
      const stuck = setTimeout(() => {
        cancelled = true;
        cancel(client);
      }, this.#timeout);
      const silent = setTimeout(() => reject(noAnswer()), this.#timeout + cancelTimeoutMs);
      client.query<Row>(query, (error, result) => {
        clearTimeout(stuck);
        clearTimeout(silent);
        if (error) reject(error);
        else resolve(result);
      });
    });
    try {
      const result = await outcome;
      // If the statement ended just before the cancel request, the request would hit the connection's next
      // statement.
      client.release(cancelled);
      return result;
    } catch (error) {
      const unavailable = isUnavailable(error);
      client.release(unavailable || cancelled);
      if (!unavailable) {
        // Its own stack leads to the socket, not to the caller.
        if (error instanceof Error) Error.captureStackTrace(error);
        throw error;
      }
      if (isOutcomeUnknown(error) && !reads) throw new OutcomeUnknownError(error);
      throw isRolledBack(error) ? new RolledBackError(error) : new DatabaseUnavailableError(error);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= maxWaitingStatements) {
      throw new DatabaseUnavailableError(`${maxWaitingStatements} statements wait for a connection already`);
    }
    // Whatever fails here, it is not the statement.
    return this.#pool.connect().catch((error) => {
      throw new DatabaseUnavailableError(error);
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Has the code of a socket error, because the outcome is as unknown as after one. */
function noAnswer(): Error {
  return Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
}
