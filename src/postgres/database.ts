import { createHash } from 'node:crypto';
import pg, { type QueryResult, type QueryResultRow } from 'pg';
import {
  DatabaseUnavailableError,
  OutcomeUnknownError,
  OverloadError,
  PermissionDeniedError,
  RefusedStatementError,
  RolledBackError,
} from '../errors/database.js';
import { batchSlots } from '../fairness/slots.js';
import { events } from '../observability/events.js';
import { cancel } from './cancel.js';
import { Connection } from './connection.js';
import { Outage } from './outage.js';
import type { Report } from './report.js';
import { send } from './send.js';
import {
  isNameLost,
  isOutcomeUnknown,
  isPermissionDenied,
  isReadOnly,
  isRefused,
  isRolledBack,
  isTableChanged,
  isUnavailable,
  sqlStateClassOf,
} from './sqlstate.js';
import { isSynchronous } from './synchronous.js';

export interface Statement {
  /** Prepares the statement, and names its span in traces. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Changes nothing, so it can be retried. */
  readonly reads?: true;
  /** Milliseconds of performance.now() at which it is cancelled, if its timeout has not ended it before. */
  readonly deadline?: number | undefined;
}

interface Loan {
  readonly client: pg.PoolClient;
  /** Then the connection is closed: a late cancel request would hit its next statement. */
  isCancelled: boolean;
}

/** Further statements fail at once. */
const maxWaitingStatements = 1_000;
/** Times in milliseconds. */
const defaultLimits = {
  /** Batches use up to 16, and one more for each kind. Other statements share these. */
  connections: 20,
  connect: 3_000,
  statement: 8_000,
  /** A connection's maximum age, because growing tables outdate its plans. */
  use: 20_000,
};
const idleTimeoutMs = 30_000;
/** PostgreSQL cuts longer names (its documentation, section 4.1.1), and pg prints a warning. */
const maxNameLength = 63;

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

export class Database {
  readonly #pool: pg.Pool;
  readonly #report: Report;
  readonly #outage: Outage;
  /** Milliseconds that a statement may take. */
  readonly timeoutMs: number;
  /** For the coalescers of this database. */
  readonly batches = batchSlots();
  readonly #url: string;
  readonly #names = new Map<string, string>();
  /** Made since a server last said that it is read-only. Older ones may lead to a former leader. */
  #currentClients = new WeakSet<pg.PoolClient>();
  #prepares = true;
  #synchronous: Promise<boolean> | undefined;

  /** @param report logs errors that reach no caller */
  constructor(url: string, report: Report, limits: Partial<typeof defaultLimits> = {}) {
    const { connections, connect, statement, use } = { ...defaultLimits, ...limits };
    this.#report = report;
    this.#outage = new Outage(report);
    this.timeoutMs = statement;
    this.#url = url;
    this.#pool = new pg.Pool({
      Client: Connection,
      connectionString: url,
      application_name: 'plant-store',
      max: connections,
      connectionTimeoutMillis: connect,
      idleTimeoutMillis: idleTimeoutMs,
      maxLifetimeSeconds: use / 1_000,
      keepAlive: true,
    });
    // Without these listeners, a broken connection ends the process (node-postgres#2635).
    this.#pool.on('error', (error) => {
      // At shutdown, the embedded PostgreSQL may end first.
      if (!this.#pool.ending) this.#outage.connectionBroke(error);
    });
    this.#pool.on('connect', (client) => {
      this.#currentClients.add(client);
      // A query in flight fails, too.
      client.on('error', () => {});
    });
  }

  /**
   * Runs a statement and commits it.
   *
   * @throws {OutcomeUnknownError} if it may be committed
   * @throws {RolledBackError} if PostgreSQL rolled it back
   * @throws {DatabaseUnavailableError} if a retry can help
   * @throws {RefusedStatementError} if it fails whatever its values are
   * @throws {PermissionDeniedError} if a right is missing, or a row policy refuses its values
   */
  async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    try {
      return await this.#run(statement);
    } catch (error) {
      if (!(error instanceof NameLostError)) throw error;
      if (this.#prepares)
        this.#report(error.cause, 'prepared statements fail, so none are prepared from now on');
      this.#prepares = false;
      return this.#run(statement);
    }
  }

  /** Versions that share a pooler need different names, and the hash comes first because long names are cut. */
  #nameOf(name: string, text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const made = `${hash} ${name}`.slice(0, maxNameLength);
    this.#names.set(text, made);
    return made;
  }

  /** `waiting` counts statements. */
  get connections(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async #run<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    const client = await this.#connect();
    if (performance.now() >= (statement.deadline ?? Number.POSITIVE_INFINITY)) {
      client.release();
      throw new RolledBackError('the time of the request was over before there was a connection');
    }
    const loan: Loan = { client, isCancelled: false };
    try {
      const result = await this.#send<Row>(loan, statement);
      this.#outage.succeeded();
      client.release(loan.isCancelled);
      return result;
    } catch (error) {
      const unavailable = isUnavailable(error);
      if (isReadOnly(error)) this.#currentClients = new WeakSet();
      client.release(unavailable || loan.isCancelled);
      if (isPermissionDenied(error)) throw new PermissionDeniedError(error);
      if (isRefused(error)) throw new RefusedStatementError(error, isTableChanged(error));
      if (!unavailable) {
        // Its own stack does not show the caller.
        if (error instanceof Error) Error.captureStackTrace(error);
        throw error;
      }
      if (isOutcomeUnknown(error) && !statement.reads) throw new OutcomeUnknownError(error);
      throw isRolledBack(error) ? new RolledBackError(error) : new DatabaseUnavailableError(error);
    }
  }

  async #send<Row extends QueryResultRow>(
    loan: Loan,
    { name, text, values = [], reads, deadline = Number.POSITIVE_INFINITY }: Statement,
  ): Promise<QueryResult<Row>> {
    const isPrepared = this.#prepares && name !== undefined;
    const query = { text, values: [...values], ...(isPrepared && { name: this.#nameOf(name, text) }) };
    events.emit('statementBegan', query, name ?? 'statement');
    try {
      const timeoutMs = Math.min(this.timeoutMs, deadline - performance.now());
      const result = await send<Row>(loan.client, query, timeoutMs, () => {
        loan.isCancelled = true;
        void this.#cancel(loan.client, reads);
      });
      events.emit('statementEnded', query);
      return result;
    } catch (error) {
      events.emit('databaseFailed', sqlStateClassOf(error), query);
      throw isPrepared && isNameLost(error) ? new NameLostError('', { cause: error }) : error;
    }
  }

  async #cancel(client: pg.PoolClient, reads = false): Promise<void> {
    if (reads || !(await this.#isSynchronous())) cancel(client);
  }

  /** Asked over a connection of its own, by all that wait for the answer. */
  #isSynchronous(): Promise<boolean> {
    this.#synchronous ??= isSynchronous(this.#url).finally(() => {
      this.#synchronous = undefined;
    });
    return this.#synchronous;
  }

  /** @throws {DatabaseUnavailableError} The statement was not sent. */
  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= maxWaitingStatements) {
      throw new OverloadError(
        'statements',
        `${maxWaitingStatements} statements wait for a connection already`,
      );
    }
    try {
      for (;;) {
        const client = await this.#pool.connect();
        const isRefused = client instanceof Connection && client.isStandby;
        if (!isRefused && this.#currentClients.has(client)) return client;
        client.release(true);
        if (isRefused) throw new Error('PostgreSQL there is a standby');
      }
    } catch (error) {
      if (isQueueTimeout(error)) throw new OverloadError('connections', error);
      events.emit('databaseFailed', sqlStateClassOf(error));
      this.#outage.connectFailed(error);
      throw new DatabaseUnavailableError(error);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Of a prepared statement only: without a name, the same SQLSTATE means something else. */
class NameLostError extends Error {}

/** All connections were in use (pg-pool 3; a failed connection has other words). */
function isQueueTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}
