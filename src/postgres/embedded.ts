import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { EmbeddedPostgresError } from './binaries.js';
import { Cluster } from './cluster.js';

/** A running PostgreSQL of our own. */
export interface EmbeddedPostgres {
  readonly url: string;
  /** Ends it in order, where it is this process's to end. */
  stop(): Promise<void>;
}

/**
 * Locks in the database itself, which end with the process that holds them, however that ends. Every
 * process that uses the cluster shares `use` (the bytes of "used"), so that only the last one stops it; the
 * service holds `ownership` (those of "hold").
 */
const locks = { use: 0x75736564, ownership: 0x686f6c64 };
/** Milliseconds. How long a killed process's lock may outlive it, and how long to wait between two restarts. */
const pauses = { release: 2_000, retry: 50, restart: 1_000 };

/**
 * Starts the PostgreSQL in `folder`, after making it where there is none, and keeps it running.
 *
 * It belongs to this process from then on: a PostgreSQL that a killed service left behind is taken over, one
 * that belongs to a living service is left alone.
 *
 * @param onFailure is told why it is down, each time that it cannot be started again
 * @throws {EmbeddedPostgresError} where it cannot run here, or belongs to another process
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
      // Else it would stop nothing, and leave behind what is just being started.
      await restarted;
      await cluster.stop();
    },
  };
}

/** The same for a command that is done in a moment: starts it where nobody has, and stops it where nobody else uses it. */
export async function borrowEmbedded(folder: string): Promise<EmbeddedPostgres> {
  const cluster = await Cluster.open(folder);
  const user = await enter(cluster);
  return {
    url: cluster.url,
    async stop() {
      // Of two that end at the same moment, each would find the other's, and leave PostgreSQL running.
      await lock(user, 'pg_advisory_unlock_shared', locks.use);
      if (await lock(user, 'pg_try_advisory_lock', locks.use)) await cluster.stop();
      else await user.end();
    },
  };
}

/** A connection that says, for as long as it lasts, that the cluster is in use. */
async function enter(cluster: Cluster): Promise<pg.Client> {
  await cluster.start();
  return use(cluster).catch(async () => {
    // A command that used it until now was just ending it.
    await cluster.start();
    return use(cluster);
  });
}

async function use(cluster: Cluster): Promise<pg.Client> {
  const client = await cluster.connect();
  await lock(client, 'pg_advisory_lock_shared', locks.use);
  return client;
}

/** Whether the connection's process owns the cluster from now on. */
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
