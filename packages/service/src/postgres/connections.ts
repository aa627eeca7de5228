/**
 * Lends connections to the leader: the one server of a cluster that takes writes. The pool of node-postgres
 * has them, and the queue of the statements that wait for one.
 *
 * A proxy that follows the leader leads to the next one a moment before its promotion is over, when it may
 * not show all commits yet. So a new connection is asked whether its server is a standby, before its first
 * statement. That costs it one round trip.
 */
import pg from 'pg';
import { OverloadError } from '../errors/overloads.js';
import { GuardedClient } from './guarded-client.js';
import { send } from './send.js';

/** How many connections there are, and how long things may take. */
export interface Limits {
  /** How many connections there are at most. */
  readonly connections: number;
  /**
   * How many milliseconds a statement waits for a connection that others use. To open one may take as long, and
   * as long until its server has said that it is the leader.
   */
  readonly connect: number;
  /** After how many milliseconds PostgreSQL ends a statement. */
  readonly statement: number;
  /** How many milliseconds a statement waits for a lock that somebody else holds. */
  readonly lock: number;
  /**
   * The age in milliseconds at which a connection is replaced, because its plans do not fit tables that have
   * grown.
   */
  readonly use: number;
}

const idleTimeoutMs = 30_000;

pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/**
 * So many statements wait for a connection at most. Batches and long lists are fewer (packages/service/src/fairness/), so only
 * look-ups of shards reach it.
 */
const maxWaiting = 1_000;

/** Lends connections to the leader, one for each statement. */
export class DatabaseConnections {
  readonly #pool: pg.Pool;
  readonly #max: number;
  /** The connections whose server is the leader. One that is not in here may not be lent. */
  #trusted = new WeakSet<pg.ClientBase>();
  #isClosing = false;

  /** @param onBreak is told of idle connections that break */
  constructor(url: string, limits: Limits, onBreak: (error: unknown) => void) {
    const { connections, connect, statement, lock, use } = limits;
    this.#max = connections;
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'plant-store',
      statement_timeout: statement,
      lock_timeout: lock,
      max: connections,
      connectionTimeoutMillis: connect,
      idleTimeoutMillis: idleTimeoutMs,
      maxLifetimeSeconds: use / 1_000,
      keepAlive: true,
      Client: GuardedClient,
      onConnect: async (client) => {
        // Without a listener, a broken connection ends the process (node-postgres#2635). A query in flight fails, too.
        client.on('error', () => {});
        // If `distrust` is called during the question, the answer counts no more.
        const trusted = this.#trusted;
        await prepareConnection(client, connect);
        trusted.add(client);
      },
    });
    this.#pool.on('error', (error) => {
      // `end` of the pool does not wait until its connections are closed, so the embedded PostgreSQL can end
      // before them.
      if (!this.#isClosing) onBreak(error);
    });
  }

  /** Counts connections, except for `waiting`, which counts statements. */
  get counts(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /**
   * Waits for a connection. Whoever gets one must release it.
   *
   * @throws {OverloadError} if too many statements wait, or all connections are in use for as long as one waits
   * @throws {Error} of pg or Node.js, if no connection to a leader can be made
   */
  async connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= maxWaiting)
      throw new OverloadError('connections', 'too many statements wait');
    for (;;) {
      const client = await this.#pool.connect().catch((error) => {
        // One that could not be opened is not counted any more.
        if (this.#pool.totalCount < this.#max) throw error;
        throw new OverloadError('connections', 'no connection became free in time');
      });
      if (this.#trusted.has(client)) return client;
      client.release(true);
    }
  }

  /**
   * Makes sure that no connection which exists now is lent again. A server was read-only, so they may lead to
   * a former leader; or a table was distributed, which needs other plans (`prepareConnection`).
   */
  distrust(): void {
    this.#trusted = new WeakSet();
  }

  /** Closes the connections once those that are lent were given back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#pool.end();
  }
}

/**
 * Asks whether the server is the leader. With the same round trip, PostgreSQL is told to plan each statement
 * for any parameters, instead of for those of each execution: the planning of a short list takes as long as
 * the list. Statements with such plans are not routed to a shard, so where tables can be distributed
 * (store/distributed-store.ts), PostgreSQL plans as usual. Behind a pooler, other programs that share its connections may meet the setting, which
 * changes plans, but no result.
 *
 * @throws {Error} if the server is a standby, or does not answer
 */
async function prepareConnection(client: pg.ClientBase, timeoutMs: number): Promise<void> {
  const question = {
    text: `SELECT pg_is_in_recovery() AS "isStandby",
                  set_config('plan_cache_mode', CASE WHEN to_regclass('pg_dist_partition') IS NULL
                                                     THEN 'force_generic_plan' ELSE 'auto' END, false)`,
    values: [],
  };
  const { rows } = await send<{ isStandby: boolean }>(client, question, timeoutMs);
  if (rows[0]?.isStandby !== false) throw new Error('PostgreSQL there is a standby');
}
