import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Report } from '../postgres/report.js';
import { EmbeddedPostgresError } from './binaries.js';
import { Cluster } from './cluster.js';
import { boundLog } from './log-bound.js';

export interface EmbeddedPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** Advisory locks: every process shares `use` ("used" in ASCII), one service holds `ownership` ("hold"). */
const locks = { use: 0x75736564, ownership: 0x686f6c64 };
/** Milliseconds. `release` is for a killed process's lock. */
const pauses = { release: 2_000, retry: 50, restart: 1_000, watch: 500 };

/**
 * Keeps PostgreSQL running, including one that a killed service left.
 *
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
    // Our sessions would hold up a smart shutdown.
    const watch = setInterval(() => cluster.hastenShutdown(), pauses.watch).unref();
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
        await pause(pauses.restart);
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
      // A restart under way would leave a PostgreSQL behind.
      await restarted;
      await cluster.stop();
    },
  };
}

/** For a command: `stop` leaves PostgreSQL running if another process uses it. */
export async function borrowEmbedded(folder: string): Promise<EmbeddedPostgres> {
  const cluster = await Cluster.open(folder);
  const session = await startAndUse(cluster);
  return {
    url: cluster.url,
    async stop() {
      // Otherwise two commands that end together would leave it running.
      await lock(session, 'pg_advisory_unlock_shared', locks.use);
      if (await lock(session, 'pg_try_advisory_lock', locks.use)) await cluster.stop();
      else await session.end();
    },
  };
}

async function startAndUse(cluster: Cluster): Promise<pg.Client> {
  await cluster.start();
  return use(cluster).catch(async () => {
    // Another command may have stopped it.
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
  const deadline = Date.now() + pauses.release;
  while (!(await lock(session, 'pg_try_advisory_lock', locks.ownership))) {
    if (Date.now() >= deadline) return false;
    await pause(pauses.retry);
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
