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

/** Held in the database by the process that a cluster belongs to, for as long as that lives: the bytes of "hold". */
const ownershipLock = 0x686f6c64;
/** Milliseconds. How long a killed process's lock may outlive it, and how long to wait between two restarts. */
const pauses = { release: 2_000, retry: 50, restart: 1_000 };

/**
 * Starts the PostgreSQL in `folder`, after making it where there is none, and keeps it running.
 *
 * It belongs to this process from then on. What says so is a lock in the database itself, which ends with
 * the process that holds it, however that ends: a PostgreSQL that a killed service left behind is taken
 * over, one that belongs to a living service is left alone.
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

  const hold = async (): Promise<void> => {
    await cluster.start();
    const keeper = await own(cluster, pauses.release);
    if (keeper === undefined) {
      throw new EmbeddedPostgresError(
        `Another process uses the database in ${folder}: stop it, or set DATA_DIR to another folder.`,
      );
    }
    keeper.once('end', () => void holdAgain());
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
  return {
    url: cluster.url,
    async stop() {
      stopping = true;
      await cluster.stop();
    },
  };
}

/** The same for a command that is done in a moment: uses a PostgreSQL that runs already, and leaves it running. */
export async function borrowEmbedded(folder: string): Promise<EmbeddedPostgres> {
  const cluster = await Cluster.open(folder);
  await cluster.start();
  const keeper = await own(cluster, 0);
  return {
    url: cluster.url,
    async stop() {
      if (keeper !== undefined) await cluster.stop();
    },
  };
}

/** The connection that holds the lock; undefined where another process holds it for longer than `patience`. */
async function own(cluster: Cluster, patience: number): Promise<pg.Client | undefined> {
  const client = await cluster.connect();
  const deadline = Date.now() + patience;
  for (;;) {
    const { rows } = await client.query<{ owned: boolean }>('SELECT pg_try_advisory_lock($1) AS owned', [
      ownershipLock,
    ]);
    if (rows[0]?.owned) return client;
    if (Date.now() >= deadline) break;
    await pause(pauses.retry);
  }
  await client.end();
  return undefined;
}
