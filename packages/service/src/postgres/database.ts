/**
 * The life of a statement.
 *
 * A database can be busy, silent, or gone in the middle of a commit. Whoever asked for the statement must not
 * wait for ever, and must know whether it may ask again: to repeat a create that was not sent is safe, and to
 * repeat one that may be committed could bring back what somebody has deleted since. So each step has a
 * limit, and each error says what became of the statement:
 *
 * 1. It waits for one of twenty connections, for up to 3 s. If that connection has to be opened, that may take
 *    up to 3 s, and again up to 3 s until the server has said that it is no standby. If all stay in use, that is
 *    an OverloadError; if none can be made, a DatabaseUnavailableError; if its deadline is over by then, a
 *    NotSentError. It was not sent.
 * 2. It is sent, prepared if it has a name. If a pooler has lost the name, nothing was run: it is sent again
 *    without one.
 * 3. PostgreSQL ends it after 8 s, or if it has waited for 0.5 s for a lock that somebody else holds, and rolls
 *    it back: a RolledBackError. One that only reads waits only for a lock on its table, and holds none that
 *    others wait for, so it is sent again until its time is over. The clock of the 8 s (`statement_timeout`, which
 *    each connection brings with it) stops before the commit, so it never interrupts a commit that
 *    waits for a synchronous standby. To interrupt that would confirm and show a commit that the next leader
 *    may not have (PostgreSQL documentation, section 27.2.8.4).
 * 4. If no answer has come after 10 s, the server is silent, or its commit waits for a standby. A statement
 *    with a deadline is given up 2 s after it, even if PostgreSQL has time left for it. The connection is
 *    closed. The statement may be committed, then or within the next seconds, as it may be if the connection
 *    breaks: an OutcomeUnknownError. One that only reads has no outcome, so its failure is a
 *    DatabaseUnavailableError.
 * 5. If PostgreSQL refuses it whatever its values are, that is a RefusedStatementError. Any other refusal,
 *    for example of a value that is taken, is passed on as it is.
 *
 * For example, the network drops every packet. A statement that was sent before fails after 10 s, and its
 * outcome is unknown. One that needs a new connection fails after 3 s, and can be repeated.
 *
 * The cost: a statement that is slow, but would succeed after 9 s, fails.
 */
import { createHash } from 'node:crypto';
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import {
  DatabaseUnavailableError,
  NotSentError,
  OutcomeUnknownError,
  PermissionDeniedError,
  RefusedStatementError,
  RolledBackError,
} from '../errors/database.js';
import { OverloadError } from '../errors/overloads.js';
import { batchSlots } from '../fairness/slots.js';
import { events } from '../observability/events.js';
import { DatabaseConnections, type Limits } from './connections.js';
import { Outage } from './outage.js';
import type { Report } from './report.js';
import { send } from './send.js';
import {
  isLockTimeout,
  isNameLost,
  isOutcomeUnknown,
  isPermissionDenied,
  isReadOnly,
  isRefused,
  isRolledBack,
  isTableChanged,
  isUnavailable,
  keepsConnection,
  sqlStateClassOf,
} from './sqlstate.js';

/** A statement, as `Database.query` takes it. */
export interface Statement {
  /** Prepares the statement, and names its span in traces. */
  readonly name?: string | undefined;
  readonly text: string;
  /** The values of the parameters $1, $2 and so on. */
  readonly values?: unknown[];
  /** Asks for rows that are arrays, in the order of their columns, instead of objects. */
  readonly rowMode?: 'array' | undefined;
  /** Changes nothing, so it can be retried. */
  readonly reads?: true | undefined;
  /**
   * Milliseconds of performance.now() at which it should have ended. From then on, it is not sent any more.
   */
  readonly deadline?: number | undefined;
}

/**
 * Gives a statement its values. It names each member, because to spread a statement takes V8 several
 * microseconds with each request.
 *
 * @param deadline milliseconds of performance.now()
 */
export function bind(statement: Statement, values: unknown[], deadline?: number): Statement {
  const { name, text, rowMode, reads } = statement;
  return { name, text, rowMode, reads, values, deadline };
}

/** Batches use up to 18 of the connections. The others are left for statements that are not batched. */
export const defaultLimits: Limits = {
  connections: 20,
  connect: 3_000,
  statement: 8_000,
  lock: 500,
  use: 20_000,
};
/** PostgreSQL has this long to answer after it should have ended a statement. */
const lateMs = 2_000;
/** PostgreSQL cuts longer names (its documentation, section 4.1.1), and pg prints a warning. */
const maxNameLength = 63;

/** Sends statements to PostgreSQL, over connections that it keeps. */
export class Database {
  readonly #connections: DatabaseConnections;
  readonly #report: Report;
  readonly #outage: Outage;
  /** How long a statement may take before PostgreSQL ends it. */
  readonly timeoutMs: number;
  /** The slots for batches, which all coalescers of this database share. */
  readonly batches = batchSlots();
  readonly #names = new Map<string, string>();
  #prepares = true;

  /** @param report logs errors that reach no caller */
  constructor(url: string, report: Report, limits: Partial<Limits> = {}) {
    const all = { ...defaultLimits, ...limits };
    this.#report = report;
    this.#outage = new Outage(report);
    this.timeoutMs = all.statement;
    this.#connections = new DatabaseConnections(url, all, (error) => this.#outage.connectionBroke(error));
  }

  /** Counts connections, except for `waiting`, which counts statements. */
  get connections(): DatabaseConnections['counts'] {
    return this.#connections.counts;
  }

  /**
   * Runs a statement and commits it.
   *
   * @throws {OutcomeUnknownError} if it may be committed
   * @throws {RolledBackError} if PostgreSQL rolled it back
   * @throws {NotSentError} if its deadline was over before there was a connection
   * @throws {OverloadError} if other statements use all connections for as long as it waits
   * @throws {DatabaseUnavailableError} if it was not carried out for another reason, and a retry can help
   * @throws {PermissionDeniedError} if a right is missing, or a row policy refuses its values
   * @throws {RefusedStatementError} if it fails whatever its values are
   * @throws {pg.DatabaseError} if PostgreSQL refuses its values, for example because a row violates a
   * constraint
   */
  async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    const until = statement.deadline ?? performance.now() + this.timeoutMs;
    for (;;) {
      // Without a name, a statement fails with the same SQLSTATE for reasons of its own.
      const hasName = this.#prepares && statement.name !== undefined;
      try {
        return await this.#run(statement);
      } catch (error) {
        const isLocked = error instanceof RolledBackError && isLockTimeout(error.cause);
        if (isLocked && statement.reads && performance.now() < until) continue;
        if (!hasName || !isNameLost(error)) throw error;
        if (this.#prepares) this.#report(error, 'prepared statements fail, so none are prepared from now on');
        this.#prepares = false;
      }
    }
  }

  /** Makes sure that later statements have new connections, which fit the tables as they are now. */
  renewConnections(): void {
    this.#connections.distrust();
  }

  /** Closes the connections once the statements in flight have ended. */
  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #run<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    const { name, text, values = [], rowMode, deadline = Number.POSITIVE_INFINITY } = statement;
    const client = await this.#connect();
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) {
      client.release();
      throw new NotSentError();
    }
    const preparedName = this.#prepares && name !== undefined ? this.#nameOf(name, text) : undefined;
    const query = { text, values, rowMode, name: preparedName };
    events.emit('statementBegan', query, name ?? 'statement');
    try {
      const result = await send<Row>(client, query, Math.min(this.timeoutMs, leftMs) + lateMs);
      events.emit('statementEnded', query);
      this.#outage.succeeded();
      client.release();
      return result;
    } catch (error) {
      events.emit('databaseFailed', sqlStateClassOf(error), query);
      if (isReadOnly(error)) this.#connections.distrust();
      client.release(isUnavailable(error) && !keepsConnection(error));
      throw failureOf(error, statement);
    }
  }

  /**
   * @throws {OverloadError} if all connections are in use
   * @throws {DatabaseUnavailableError} if no connection can be made. The statement was not sent
   */
  async #connect(): Promise<PoolClient> {
    const since = performance.now();
    try {
      return await this.#connections.connect();
    } catch (error) {
      if (error instanceof OverloadError) throw error;
      events.emit('databaseFailed', sqlStateClassOf(error));
      this.#outage.connectFailed(error);
      throw new DatabaseUnavailableError(error);
    } finally {
      events.emit('connectionAwaited', performance.now() - since);
    }
  }

  /**
   * @returns the name by which PostgreSQL knows the prepared statement. Versions that share a pooler need
   * different names for different texts, so a hash of the text comes first: long names are cut at their end
   */
  #nameOf(name: string, text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const made = `${hash} ${name}`.slice(0, maxNameLength);
    this.#names.set(text, made);
    return made;
  }
}

/** Turns an error of node-postgres into the class that says what became of the statement. */
function failureOf(error: unknown, { reads }: Statement): unknown {
  if (isOutcomeUnknown(error))
    return reads ? new DatabaseUnavailableError(error) : new OutcomeUnknownError(error);
  if (isPermissionDenied(error)) return new PermissionDeniedError(error);
  if (isRefused(error)) return new RefusedStatementError(error, isTableChanged(error));
  if (isUnavailable(error))
    return isRolledBack(error) ? new RolledBackError(error) : new DatabaseUnavailableError(error);
  // pg makes the error when it reads PostgreSQL's answer, so its stack does not show who sent the statement.
  if (error instanceof Error) Error.captureStackTrace(error);
  return error;
}
