import pg, { type QueryResult, type QueryResultRow } from 'pg';
import { cancel } from './cancel.js';
import { isOutcomeUnknown, isRolledBack, isUnavailable, reasonOf } from './sqlstate.js';

/** PostgreSQL cannot be reached, cannot work, or has more to do than it can. The request may be sent again. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super(`The database is not available: ${reasonOf(cause)}.`, { cause });
  }
}

/**
 * The connection was lost after a statement had been sent: whether it was committed is not known. Or it was, and which of
 * its rows a trigger has left out is not known. A write that is the same when done twice can be sent again.
 */
export class OutcomeUnknownError extends DatabaseUnavailableError {
  override readonly name = 'OutcomeUnknownError';
}

/**
 * PostgreSQL gave the statement up: it waited too long, or could not be put in an order with others. Nothing of
 * it was done, and one row of it can be the reason.
 */
export class RolledBackError extends DatabaseUnavailableError {
  override readonly name = 'RolledBackError';
}

/** Not prepared under a name, which pgbouncer before 1.21 loses between two transactions. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Whether it only reads, so that its outcome is never unknown: it can be sent again. */
  readonly reads?: true;
}

/**
 * Connections; two cores of PostgreSQL are busy with fewer, and each costs it memory. Creates, repeated creates,
 * deletes and first pages have two statements each under way at most, eight altogether: where all of them wait for
 * a lock, two connections are left for tokens and everything else.
 */
const connections = 10;
/** Statements that wait for a connection; the next one is refused at once, since it would wait too long. */
const waitingStatements = 1_000;
/**
 * Milliseconds. A statement here reads or writes some rows by their key: one that takes longer is stuck, and is
 * cancelled; where no word of that comes either, the connection is given up, `silence` later.
 */
const timeouts = { connect: 3_000, statement: 8_000, silence: 2_000, idle: 30_000 };

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** A pool of connections, each of whose failures is either the statement's own or "unavailable". */
export class Database {
  readonly #pool: pg.Pool;
  readonly #timeout: number;

  /**
   * @param url `postgresql://…`
   * @param onIdleError is told of connections that break while nobody uses them; without a listener each
   *   would end the process (node-postgres#2635)
   * @param timeout milliseconds after which a statement is cancelled
   * @param connectTimeout milliseconds that a statement waits for a connection
   */
  constructor(
    url: string,
    onIdleError: (error: Error) => void,
    timeout = timeouts.statement,
    connectTimeout = timeouts.connect,
  ) {
    this.#timeout = timeout;
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'plant-store',
      max: connections,
      connectionTimeoutMillis: connectTimeout,
      idleTimeoutMillis: timeouts.idle,
      keepAlive: true,
    });
    this.#pool.on('error', onIdleError);
    // One that breaks in use says so twice: to its query, and by an event that would end the process as well.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Runs one statement, which is a transaction of its own, committed when this returns.
   *
   * @throws {OutcomeUnknownError} where it may have been committed, or not
   * @throws {RolledBackError} where it was not, and one without the row that it is stuck at could be
   * @throws {DatabaseUnavailableError} where it was not, and trying again later can help
   */
  async query<Row extends QueryResultRow>({
    text,
    values = [],
    reads,
  }: Statement): Promise<QueryResult<Row>> {
    const client = await this.#connect();
    let cancelled = false;
    // By callback, and with timers of our own: of what node-postgres's promises and its query_timeout leave behind,
    // each refers to the next, and keeps its result until the next full collection (pg 8.23). A list of 40 MB left
    // 46 MB in the old generation with them, and leaves 3 MB without.
    const outcome = new Promise<QueryResult<Row>>((resolve, reject) => {
      const stuck = setTimeout(() => {
        cancelled = true;
        cancel(client);
      }, this.#timeout);
      const silent = setTimeout(() => reject(noAnswer()), this.#timeout + timeouts.silence);
      client.query<Row>(text, [...values], (error, result) => {
        clearTimeout(stuck);
        clearTimeout(silent);
        if (error) reject(error);
        else resolve(result);
      });
    });
    try {
      const result = await outcome;
      // One that ended just before it was cancelled: the next statement of that connection would be instead.
      client.release(cancelled);
      return result;
    } catch (error) {
      const unavailable = isUnavailable(error);
      client.release(unavailable || cancelled);
      if (!unavailable) {
        // In place of the one that leads to the socket.
        if (error instanceof Error) Error.captureStackTrace(error);
        throw error;
      }
      if (isOutcomeUnknown(error) && !reads) throw new OutcomeUnknownError(error);
      throw isRolledBack(error) ? new RolledBackError(error) : new DatabaseUnavailableError(error);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= waitingStatements) {
      throw new DatabaseUnavailableError(`${waitingStatements} statements wait for a connection already`);
    }
    // No statement is to blame for it, whatever it is.
    return this.#pool.connect().catch((error) => {
      throw new DatabaseUnavailableError(error);
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** As if the socket had said it: nobody knows what became of the statement. */
function noAnswer(): Error {
  return Object.assign(new Error('no answer within the time that it has'), { code: 'ETIMEDOUT' });
}
