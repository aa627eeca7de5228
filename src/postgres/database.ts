import pg, { type QueryResult, type QueryResultRow } from 'pg';
import { isUnavailable, reasonOf } from './sqlstate.js';

/** PostgreSQL cannot be reached, cannot work, or has more to do than it can. The request may be sent again. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super(`The database is not available: ${reasonOf(cause)}.`, { cause });
  }
}

export interface Statement {
  /** Prepared under this name once per connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Connections; two cores of PostgreSQL are busy with fewer, and each costs it memory. */
const connections = 10;
/** Statements that wait for a connection; the next one is refused at once, since it would wait too long. */
const waitingStatements = 1_000;
/** Milliseconds. A statement here reads or writes some rows by their key: one that takes longer is stuck. */
const timeouts = { connect: 3_000, statement: 10_000, idle: 30_000 };

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** A pool of connections, each of whose failures is either the statement's own or "unavailable". */
export class Database {
  readonly #pool: pg.Pool;

  /**
   * @param url `postgresql://…`
   * @param onIdleError is told of connections that break while nobody uses them; without a listener each
   *   would end the process (node-postgres#2635)
   */
  constructor(url: string, onIdleError: (error: Error) => void) {
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'plant-store',
      max: connections,
      connectionTimeoutMillis: timeouts.connect,
      idleTimeoutMillis: timeouts.idle,
      query_timeout: timeouts.statement,
      keepAlive: true,
    });
    this.#pool.on('error', onIdleError);
    // One that breaks while it is used fails its statement, too.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Runs one statement, which is a transaction of its own.
   *
   * @throws {DatabaseUnavailableError} where trying again later can help
   */
  async query<Row extends QueryResultRow>({ values, ...statement }: Statement): Promise<QueryResult<Row>> {
    if (this.#pool.waitingCount >= waitingStatements) {
      throw new DatabaseUnavailableError(`${waitingStatements} statements wait for a connection already`);
    }
    const client = await this.#pool.connect().catch((error) => {
      throw new DatabaseUnavailableError(error);
    });
    try {
      const result = await client.query<Row>({ ...statement, ...(values && { values: [...values] }) });
      client.release();
      return result;
    } catch (error) {
      const unavailable = isUnavailable(error);
      // A connection is as good as before where only the statement was wrong.
      client.release(unavailable);
      throw unavailable ? new DatabaseUnavailableError(error) : error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
