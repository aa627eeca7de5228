/** The PostgreSQL of a run. Somebody has to keep it running: a supervisor of its own here, or the service. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { Cluster } from '../../../src/embedded-postgres/cluster.js';
import type { Cleanup } from '../../kit/cleanup.js';
import { isAlive } from './processes.js';
import { makeSmallDisk, type SmallDisk } from './small-disk.js';

const watchMs = 20;
const dataFolder = 'data';
const diskSize = 4 * 2 ** 30;
/** Little WAL, because the disk may be memory. */
const settings = { max_wal_size: '256MB', min_wal_size: '64MB' };

export class Postgres {
  readonly disk: SmallDisk;
  readonly #cluster: Cluster;
  #stopping = false;
  #watching: Promise<void> = Promise.resolve();

  private constructor(disk: SmallDisk, cluster: Cluster) {
    this.disk = disk;
    this.#cluster = cluster;
  }

  /** @param connections few enough to be used up */
  static async start(cleanup: Cleanup, connections: number): Promise<Postgres> {
    const disk = await makeSmallDisk(cleanup, diskSize);
    const cluster = await Cluster.open(join(disk.folder, dataFolder));
    cleanup.add(() => cluster.stop());
    await cluster.start();
    const postgres = new Postgres(disk, cluster);
    await postgres.asAdmin(async (admin) => {
      const all = { ...settings, max_connections: connections };
      for (const [name, value] of Object.entries(all)) {
        await admin.query(`ALTER SYSTEM SET ${name} = '${value}'`);
      }
    });
    await cluster.stop();
    await cluster.start();
    return postgres;
  }

  /** Whatever ends it, it is started again at once, as an operator's supervisor does. */
  keep(cleanup: Cleanup): void {
    this.#watching = this.#watch();
    cleanup.add(async () => {
      this.#stopping = true;
      await this.#watching;
    });
  }

  /** Ends it. @returns what a service needs to keep it as its embedded one */
  async handOver(): Promise<{ folder: string }> {
    await this.#cluster.stop();
    return { folder: this.#folder };
  }

  get #folder(): string {
    return join(this.disk.folder, dataFolder);
  }

  /** Directly, on its Unix socket. */
  get url(): string {
    // WHATWG wants a host in a URL. The parameter "host", the folder of the socket, overrules it.
    return this.#cluster.url;
  }

  /** On a connection of its own, which nothing here cuts. */
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

  /** The postmaster's process, if it runs. */
  async pid(): Promise<number | undefined> {
    const text = await readFile(join(this.#folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    return Number.isNaN(pid) || !(await isAlive(pid)) ? undefined : pid;
  }

  /** The processes that serve the service's connections. */
  async backends(): Promise<number[]> {
    return this.asAdmin(async (admin) => {
      const { rows } = await admin.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid",
      );
      return rows.map(({ pid }) => pid);
    });
  }

  async #watch(): Promise<void> {
    while (!this.#stopping) {
      // A full disk, for instance, may end the start, too.
      if ((await this.pid()) === undefined) await this.#cluster.start().catch(() => {});
      await pause(watchMs);
    }
  }
}
