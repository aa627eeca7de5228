/** The PostgreSQL of a run. Somebody has to keep it running: a supervisor of its own here, or the service. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Scope } from '../../../contract-tools/base.js';
import { type Cluster, postmasterOf, startCluster } from '../../../kit/index.js';
import { keepRunning } from './keep-running.js';
import { makeSmallDisk, type SmallDisk } from './small-disk.js';

const watchMs = 20;
const dataFolder = 'data';
const diskBytes = 4 * 2 ** 30;
/** PostgreSQL keeps little WAL, because the disk may be memory. */
const settings = { max_wal_size: '256MB', min_wal_size: '64MB' };

export class Postgres {
  readonly disk: SmallDisk;
  readonly #cluster: Cluster;

  private constructor(disk: SmallDisk, cluster: Cluster) {
    this.disk = disk;
    this.#cluster = cluster;
  }

  /**
   * Starts it on a small disk, until the end of the scope.
   *
   * @param connections how many PostgreSQL has: so few that a fault can use them up
   * @throws {ProgramError} if it does not start
   */
  static async start(cleanup: Scope, connections: number): Promise<Postgres> {
    const disk = await makeSmallDisk(cleanup, diskBytes);
    const all = { ...settings, max_connections: connections };
    return new Postgres(disk, await startCluster(cleanup, join(disk.folder, dataFolder), all));
  }

  /** Starts it again whenever it ends. */
  keep(cleanup: Scope): void {
    keepRunning(cleanup, {
      ended: async () => {
        while ((await this.pid()) !== undefined) await pause(watchMs);
      },
      start: () => this.#cluster.start(),
      end: () => this.#cluster.stop(),
    });
  }

  /**
   * Ends it, so that a service can run it as its embedded one.
   *
   * @returns what the service needs for that
   */
  async handOver(): Promise<{ folder: string }> {
    await this.#cluster.stop();
    return { folder: this.#folder };
  }

  get #folder(): string {
    return join(this.disk.folder, dataFolder);
  }

  /** The URL of its Unix socket, without a proxy or a pooler. */
  get url(): string {
    return this.#cluster.url;
  }

  /** Works on a connection that no fault of the network cuts. */
  async asAdmin<Result>(work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
    const admin = await this.#cluster.connect();
    // A fault may end the connection, too.
    admin.on('error', () => {});
    try {
      return await work(admin);
    } finally {
      await admin.end().catch(() => {});
    }
  }

  /** @returns the id of the process of the postmaster; undefined if it does not run */
  async pid(): Promise<number | undefined> {
    return postmasterOf(this.#folder);
  }

  /** @returns the ids of the processes of PostgreSQL that serve the connections of the service */
  async backends(): Promise<number[]> {
    return this.asAdmin(async (admin) => {
      const { rows } = await admin.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid",
      );
      return rows.map(({ pid }) => pid);
    });
  }
}
