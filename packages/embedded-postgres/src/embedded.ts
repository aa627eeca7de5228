/**
 * Who may use the embedded PostgreSQL, and who stops it. One service serves from it, and commands such as
 * `plant-store token` may use it at the same time, or alone. If each stopped it when it ends, a command would
 * take the database from the service; if none did, it would run for ever. So each process holds advisory
 * locks in the database, which PostgreSQL releases if the process dies:
 *
 * - `use` is shared by all. A command that ends tries to get it alone, and stops PostgreSQL only if it does.
 * - `ownership` is held by one service. A second one ends with a sentence that says so.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { EmbeddedPostgresError } from './binaries.js';
import { Cluster } from './cluster.js';
import { boundLog } from './log-bound.js';

/** Is told of what reaches no caller. The error is undefined if the message says all. */
export type Report = (error: unknown, message: string) => void;

/**
 * A PostgreSQL that a process may use until it calls `stop`. One that DATABASE_URL names has this form, too,
 * and its `stop` does nothing.
 */
export interface EmbeddedPostgres {
  readonly url: string;
  /** Ends the use. A service stops PostgreSQL; a command stops it only if no other process uses it. */
  stop(): Promise<void>;
}

/** The numbers of the advisory locks: "used" and "hold" in ASCII. */
const locks = { use: 0x75736564, ownership: 0x686f6c64 };
/** How long PostgreSQL may take to notice that a killed process has gone, and to release its locks. */
const releaseMs = 2_000;
const retryMs = 50;
const restartPauseMs = 1_000;
const watchMs = 500;

/**
 * Starts PostgreSQL for a service, or takes over one that a killed service has left, and starts it again
 * whenever it ends.
 *
 * @param folder the absolute path of DATA_DIR
 * @param report is told of each restart, and of each try that has failed
 * @throws {EmbeddedPostgresError} if it cannot run, or another process owns it
 */
export async function startEmbedded(folder: string, report: Report): Promise<EmbeddedPostgres> {
  const cluster = await Cluster.open(folder);
  let stopping = false;
  let restarted = Promise.resolve();

  const startAndOwn = async (): Promise<void> => {
    const session = await startAndUse(cluster);
    if (!(await takeOwnership(session))) {
      await session.end();
      throw new EmbeddedPostgresError(
        `Another process uses the database in ${folder}: stop it, or set DATA_DIR to another folder.`,
      );
    }
    // If somebody stops PostgreSQL by SIGTERM, it waits for our sessions to end.
    const watch = setInterval(() => cluster.hastenShutdown(), watchMs).unref();
    session.once('end', () => {
      clearInterval(watch);
      restarted = restart();
    });
  };
  const restart = async (): Promise<void> => {
    while (!stopping) {
      try {
        await startAndOwn();
        report(undefined, 'the embedded PostgreSQL was restarted');
        return;
      } catch (error) {
        report(error, 'the embedded PostgreSQL is down');
        await pause(restartPauseMs);
      }
    }
  };

  await startAndOwn();
  await cluster.removeDrafts();
  const stopBounding = boundLog(cluster.logFile);
  return {
    url: cluster.url,
    async stop() {
      stopping = true;
      await stopBounding();
      // A restart in flight would leave a PostgreSQL behind.
      await restarted;
      await cluster.stop();
    },
  };
}

/**
 * Starts PostgreSQL for a command, or uses the one that runs. `stop` leaves it running if another process
 * uses it.
 *
 * @throws {EmbeddedPostgresError} if it cannot run
 */
export async function borrowEmbedded(folder: string): Promise<EmbeddedPostgres> {
  const cluster = await Cluster.open(folder);
  const session = await startAndUse(cluster);
  return {
    url: cluster.url,
    async stop() {
      // Our own share goes first. Otherwise two commands that end together would see each other's, and leave
      // it running.
      await lock(session, 'pg_advisory_unlock_shared', locks.use);
      if (await lock(session, 'pg_try_advisory_lock', locks.use)) await cluster.stop();
      else await session.end();
    },
  };
}

async function startAndUse(cluster: Cluster): Promise<pg.Client> {
  await cluster.start();
  return use(cluster).catch(async () => {
    // Another command may have stopped it between the two steps.
    await cluster.start();
    return use(cluster);
  });
}

async function use(cluster: Cluster): Promise<pg.Client> {
  const client = await cluster.connect();
  await lock(client, 'pg_advisory_lock_shared', locks.use);
  return client;
}

async function takeOwnership(session: pg.Client): Promise<boolean> {
  const deadline = Date.now() + releaseMs;
  while (!(await lock(session, 'pg_try_advisory_lock', locks.ownership))) {
    if (Date.now() >= deadline) return false;
    await pause(retryMs);
  }
  return true;
}

async function lock(
  client: pg.Client,
  how: 'pg_try_advisory_lock' | 'pg_advisory_lock_shared' | 'pg_advisory_unlock_shared',
  which: number,
): Promise<boolean> {
  const { rows } = await client.query<{ locked: unknown }>(`SELECT ${how}($1) AS locked`, [which]);
  return rows[0]?.locked === true;
}
