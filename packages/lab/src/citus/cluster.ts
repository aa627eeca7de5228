/** Starts a coordinator and workers of Citus on the loopback interface, and adds workers. */
import { join } from 'node:path';
import type { Scope } from '../../../contract-tools/base.js';
import { giveToAccount, makeFolder } from '../../../kit/index.js';
import { PostgresNode } from './node.js';

const settings = [
  'max_connections = 200',
  'max_wal_size = 1GB',
  "shared_preload_libraries = 'citus'",
  'max_prepared_transactions = 400',
  // Shards are moved by logical replication.
  'wal_level = logical',
  "citus.node_conninfo = 'sslmode=disable'",
];

export class Cluster {
  readonly coordinator: PostgresNode;
  readonly workers: PostgresNode[] = [];
  readonly #scope: Scope;
  readonly #programs: string;
  readonly #folder: string;

  private constructor(scope: Scope, programs: string, folder: string, coordinator: PostgresNode) {
    this.#scope = scope;
    this.#programs = programs;
    this.#folder = folder;
    this.coordinator = coordinator;
  }

  /**
   * Starts a coordinator and workers, until the end of the scope.
   *
   * @param programs the folder of PostgreSQL's programs
   * @param workers the number of workers
   * @throws {Error} if a PostgreSQL does not answer within a minute
   */
  static async start(scope: Scope, programs: string, workers: number): Promise<Cluster> {
    const folder = await makeFolder(scope);
    await giveToAccount(folder);
    const coordinator = await PostgresNode.start(scope, {
      programs,
      folder: join(folder, 'coordinator'),
      settings,
    });
    const cluster = new Cluster(scope, programs, folder, coordinator);
    await coordinator.ask('CREATE EXTENSION citus');
    await coordinator.ask(`SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
    for (let count = 0; count < workers; count++) await cluster.addWorker();
    return cluster;
  }

  /** Adds a worker, which gets shards when tables are distributed, or by a rebalancing. */
  async addWorker(): Promise<PostgresNode> {
    const worker = await PostgresNode.start(this.#scope, {
      programs: this.#programs,
      folder: join(this.#folder, `worker-${this.workers.length + 1}`),
      settings,
    });
    this.workers.push(worker);
    await worker.ask('CREATE EXTENSION citus');
    await this.coordinator.ask(`SELECT citus_add_node('127.0.0.1', ${worker.port})`);
    return worker;
  }
}
