import { createHash } from 'node:crypto';
import pg, { type QueryResult, type QueryResultRow } from 'pg';
import { cancel } from './cancel.js';
import { isNameLost, isOutcomeUnknown, isRolledBack, isUnavailable, reasonOf } from './sqlstate.js';

/** PostgreSQL cannot be reached, cannot work, or has more to do than it can. The request may be sent again. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super(`The database is not available: ${reasonOf(cause)}.`, { cause });
  }
}

/**
 * The connection was lost after a statement had been sent: whether it was committed is not known. A write that is the same
 * when done twice can be sent again.
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

export interface Statement {
  /** Prepared under this name on each connection, so that PostgreSQL parses and plans it once. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Whether it only reads, so that its outcome is never unknown: it can be sent again. */
  readonly reads?: true;
}

/**
 * Connections; two cores of PostgreSQL are busy with fewer, and each costs it memory. Creates, look-ups, deletes
 * and first pages have two statements each under way at most, eight altogether: where all of them wait for
 * a lock, two connections are left for tokens and everything else.
 */
const connections = 10;
/** Statements that wait for a connection; the next one is refused at once, since it would wait too long. */
const waitingStatements = 1_000;
/**
 * Milliseconds. A `statement` here reads or writes some rows by their key: one that takes longer is stuck, and is
 * cancelled. `use` is how long a connection is used: PostgreSQL keeps the plan of a prepared statement for so long, even one
 * that reads the whole table because that was tiny when it planned.
 */
const ownTimes = { connect: 3_000, statement: 8_000, use: 20_000 };
/** Milliseconds that a connection stays open unused. */
const idle = 30_000;
/** Milliseconds after which a connection is given up if no word comes of a statement that was cancelled. */
const silence = 2_000;

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** What an operator should know, with the error that shows it. */
export type Report = (error: unknown, message: string) => void;

/** A pool of connections, each of whose failures is either the statement's own or "unavailable". */
export class Database {
  readonly #pool: pg.Pool;
  readonly #report: Report;
  readonly #timeout: number;
  readonly #names = new Map<string, string>();
  #prepares = true;

  /**
   * @param url `postgresql://…`
   * @param report is told of connections that break while nobody uses them (without a listener each would end the
   *   process, node-postgres#2635), and of prepared statements that get lost
   * @param times in place of the service's own
   */
  constructor(url: string, report: Report, times: Partial<typeof ownTimes> = {}) {
    const { connect, statement, use } = { ...ownTimes, ...times };
    this.#report = report;
    this.#timeout = statement;
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'plant-store',
      max: connections,
      connectionTimeoutMillis: connect,
      idleTimeoutMillis: idle,
      maxLifetimeSeconds: use / 1_000,
      keepAlive: true,
    });
    this.#pool.on('error', (error) => {
      // The embedded PostgreSQL may end before its last connection has.
      if (!this.#pool.ending) report(error, 'lost a database connection');
    });
    // One that breaks in use says so twice: to its query, and by an event that would end the process as well.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Runs one statement, which is a transaction of its own, committed when this returns.
   *
   * @throws {OutcomeUnknownError} if it may have been committed, or not
   * @throws {RolledBackError} if it was not, and one without the row that it is stuck at could be
   * @throws {DatabaseUnavailableError} if it was not, and trying again later can help
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

  /** Different texts have different names, so that a pooler cannot run another version's statement for ours. */
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
    // By callback, and with timers of our own: of what node-postgres's promises and its query_timeout leave behind,
    // each refers to the next, and keeps its result until the next full collection (pg 8.23). A list of 40 MB left
    // 46 MB in the old generation with them, and leaves 3 MB without.
    const outcome = new Promise<QueryResult<Row>>((resolve, reject) => {
      const stuck = setTimeout(() => {
        cancelled = true;
        cancel(client);
      }, this.#timeout);
      const silent = setTimeout(() => reject(noAnswer()), this.#timeout + silence);
      client.query<Row>(query, (error, result) => {
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
