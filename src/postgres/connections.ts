/**
 * Lends connections to the leader: the one server of a cluster that takes writes. A statement waits for one
 * of them in the order of arrival, and then for a new
 * one to open, if none is idle. A permit for each connection keeps these two waits apart: the pool's own
 * queue never holds anybody, so an error of the pool means that no connection could be made.
 *
 * A proxy that follows the leader leads to the next one a moment before its promotion is over, when it may
 * not show all commits yet. So a new connection is asked whether its server is a standby, before its first
 * statement. That costs it one round trip.
 */
import pg from 'pg';
import { NotSentError } from '../errors/database.js';
import { beforeDeadline, millisecondsUntil } from '../errors/late.js';
import { OverloadError } from '../errors/overloads.js';
import { GuardedClient } from './guarded-client.js';
import { Semaphore } from './semaphore.js';
import { send } from './send.js';

/** How many connections there are, and how long things may take. */
export interface Limits {
  /** How many connections there are at most. */
  readonly connections: number;
  /**
   * How many milliseconds a statement waits for a connection that others use, as long to open one, and as long
   * until its server has said that it is the leader. A deadline ends all three.
   */
  readonly connect: number;
  /** After how many milliseconds PostgreSQL ends a statement. */
  readonly statement: number;
  /**
   * The age in milliseconds at which a connection is replaced, because its plans do not fit tables that have
   * grown.
   */
  readonly use: number;
}

const idleTimeoutMs = 30_000;

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** Lends connections to the leader, one for each statement. */
export class DatabaseConnections {
  readonly #pool: pg.Pool;
  readonly #permits: Semaphore;
  readonly #connectMs: number;
  /**
   * What the server of a connection said about itself: the promise resolves if it is the leader. A connection
   * that is not in here may not be lent.
   */
  #checks = new WeakMap<pg.PoolClient, Promise<void>>();
  #isClosing = false;

  /** @param onBreak is told of idle connections that break */
  constructor(url: string, limits: Limits, onBreak: (error: unknown) => void) {
    const { connections, connect, statement, use } = limits;
    this.#permits = new Semaphore(connections);
    this.#connectMs = connect;
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'plant-store',
      statement_timeout: statement,
      max: connections,
      connectionTimeoutMillis: connect,
      idleTimeoutMillis: idleTimeoutMs,
      maxLifetimeSeconds: use / 1_000,
      keepAlive: true,
      Client: GuardedClient,
    });
    // Without these listeners, a broken connection ends the process (node-postgres#2635).
    this.#pool.on('error', (error) => {
      // `end` of the pool does not wait until its connections are closed, so the embedded PostgreSQL can end
      // before them.
      if (!this.#isClosing) onBreak(error);
    });
    this.#pool.on('connect', (client) => {
      // A query in flight fails, too.
      client.on('error', () => {});
      const check = prepareConnection(client, connect);
      // Nobody awaits it if the pool has made a connection that nobody waits for any more.
      check.catch(() => {});
      this.#checks.set(client, check);
    });
  }

  /** Counts connections, except for `waiting`, which counts statements. */
  get counts(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: this.#permits.waiting };
  }

  /**
   * Waits for a connection. Whoever gets one must give it back. How many wait is bounded by the batches and
   * the long lists that there may be (test/store/waiting-statements.test.ts); with Citus also by the requests in
   * flight, each of which may ask for the shard of another owner.
   *
   * @param deadline milliseconds of performance.now() until which to wait
   * @throws {OverloadError} if all connections stay in use for as long as a statement waits
   * @throws {NotSentError} if the deadline is over before there is a connection
   * @throws {Error} of pg or Node.js, if no connection to a leader can be made
   */
  async lend(deadline: number): Promise<pg.PoolClient> {
    const waitMs = Math.min(this.#connectMs, millisecondsUntil(deadline));
    if (!(await this.#permits.acquire(waitMs))) {
      if (waitMs < this.#connectMs) throw new NotSentError();
      throw new OverloadError('connections', `all connections were in use for ${waitMs / 1_000} s`);
    }
    const opening = this.#connect();
    try {
      const client = await beforeDeadline(opening, deadline, () => new NotSentError());
      if (performance.now() >= deadline) throw new NotSentError();
      return client;
    } catch (error) {
      // A connection that comes after the deadline is for the next statement.
      void opening.then(
        (client) => this.giveBack(client, false),
        () => this.#permits.release(),
      );
      throw error;
    }
  }

  /** @param isBroken whether the connection is closed, so that a new one is opened when it is needed */
  giveBack(client: pg.PoolClient, isBroken: boolean): void {
    client.release(isBroken);
    this.#permits.release();
  }

  /**
   * Makes sure that no connection which exists now is lent again. A server was read-only, so they may lead to
   * a former leader.
   */
  distrust(): void {
    this.#checks = new WeakMap();
  }

  /** Closes the connections once those that are lent were given back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#pool.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      try {
        await this.#checks.get(client);
      } catch (error) {
        client.release(true);
        throw error;
      }
      // `distrust` may have been called before, or during the check.
      if (this.#checks.has(client)) return client;
      client.release(true);
    }
  }
}

/**
 * Asks whether the server is the leader. With the same round trip, PostgreSQL is told to plan each statement
 * for any parameters, instead of for those of each execution: the planning of a short list takes as long as
 * the list. Citus cannot route such plans, so it plans as usual. Behind a pooler, other programs that share
 * its connections may meet the setting, which changes plans, but no result.
 *
 * @throws {Error} if the server is a standby, or does not answer
 */
async function prepareConnection(client: pg.PoolClient, timeoutMs: number): Promise<void> {
  const question = {
    text: `SELECT pg_is_in_recovery() AS "isStandby",
                  set_config('plan_cache_mode', CASE WHEN to_regclass('pg_dist_partition') IS NULL
                                                     THEN 'force_generic_plan' ELSE 'auto' END, false)`,
    values: [],
  };
  const { rows } = await send<{ isStandby: boolean }>(client, question, timeoutMs);
  if (rows[0]?.isStandby !== false) throw new Error('PostgreSQL there is a standby');
}
