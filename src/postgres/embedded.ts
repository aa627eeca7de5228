import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { EmbeddedPostgresError } from './binaries.js';
import { Cluster } from './cluster.js';

/** A running embedded PostgreSQL. */
export interface EmbeddedPostgres {
  readonly url: string;
  /** Stops it in order, unless another process uses it. */
  stop(): Promise<void>;
}

/**
 * Advisory locks, which PostgreSQL releases however their process ends. Every process that uses the cluster
 * shares `use` (the bytes of "used"), and the last one stops the cluster. The service holds `ownership` (the
 * bytes of "hold").
 */
const locks = { use: 0x75736564, ownership: 0x686f6c64 };
/** Milliseconds. `release` is how long the lock of a killed process may last. */
const pauses = { release: 2_000, retry: 50, restart: 1_000 };

/**
 * Starts the PostgreSQL in `folder`, makes it first if there is none, and keeps it running. This process owns
 * it from then on. A PostgreSQL that a killed service left behind is taken over.
 *
 * @param onFailure called each time that it cannot be started again
 * @throws {EmbeddedPostgresError} if it cannot run here, or another living process owns it
 */
export async function startEmbedded(
  folder: string,
  onFailure: (error: unknown) => void,
): Promise<EmbeddedPostgres> {
  const cluster = await Cluster.open(folder);
  let stopping = false;
  let restarted = Promise.resolve();

  const hold = async (): Promise<void> => {
    const keeper = await enter(cluster);
    if (!(await own(keeper))) {
      await keeper.end();
      throw new EmbeddedPostgresError(
        `Another process uses the database in ${folder}: stop it, or set DATA_DIR to another folder.`,
      );
    }
    keeper.once('end', () => {
      restarted = holdAgain();
    });
  };
  const holdAgain = async (): Promise<void> => {
    while (!stopping) {
      try {
        return await hold();
      } catch (error) {
        onFailure(error);
        await pause(pauses.restart);
      }
    }
  };

  await hold();
  await cluster.removeDrafts();
  return {
    url: cluster.url,
    async stop() {
      stopping = true;
      // A restart may be under way, and would leave a PostgreSQL behind.
      await restarted;
      await cluster.stop();
    },
  };
}

/**
 * For a short command: starts PostgreSQL unless it runs, and stops it afterwards unless another process uses
 * it.
 */
export async function borrowEmbedded(folder: string): Promise<EmbeddedPostgres> {
  const cluster = await Cluster.open(folder);
  const user = await enter(cluster);
  return {
    url: cluster.url,
    async stop() {
      // Two commands that end at the same moment would otherwise each see the other's lock, and none would
      // stop it.
      await lock(user, 'pg_advisory_unlock_shared', locks.use);
      if (await lock(user, 'pg_try_advisory_lock', locks.use)) await cluster.stop();
      else await user.end();
    },
  };
}

/** A connection whose lock says that the cluster is in use. */
async function enter(cluster: Cluster): Promise<pg.Client> {
  await cluster.start();
  return use(cluster).catch(async () => {
    // Another command was just stopping it.
    await cluster.start();
    return use(cluster);
  });
}

async function use(cluster: Cluster): Promise<pg.Client> {
  const client = await cluster.connect();
  await lock(client, 'pg_advisory_lock_shared', locks.use);
  return client;
}

/** Takes the ownership; false if another process keeps it. */
async function own(keeper: pg.Client): Promise<boolean> {
  const deadline = Date.now() + pauses.release;
  while (!(await lock(keeper, 'pg_try_advisory_lock', locks.ownership))) {
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
