/** A coordinator and workers, or one PostgreSQL without Citus to compare them with. */
import { join } from 'node:path';
import { giveToAccount } from '../../kit/account.js';
import { makeFolder } from '../../kit/folder.js';
import type { Scope } from '../../kit/scope.js';
import { PostgresNode } from './node.js';

const common = ['max_connections = 200', 'max_wal_size = 1GB'];
const citus = [
  ...["shared_preload_libraries = 'citus'", 'max_prepared_transactions = 400'],
  // Shards are moved by logical replication.
  ...['wal_level = logical', "citus.node_conninfo = 'sslmode=disable'"],
];

export class Cluster {
  readonly coordinator: PostgresNode;
  readonly workers: PostgresNode[] = [];
  readonly #programs: string;
  readonly #folder: string;

  private constructor(programs: string, folder: string, coordinator: PostgresNode) {
    this.#programs = programs;
    this.#folder = folder;
    this.coordinator = coordinator;
  }

  /** @param workers how many there are; with 0, the coordinator is a plain PostgreSQL without Citus */
  static async start(cleanup: Scope, programs: string, workers: number): Promise<Cluster> {
    const folder = await makeFolder(cleanup);
    await giveToAccount(folder);
    const coordinator = await PostgresNode.start({
      ...{ programs, folder: join(folder, 'coordinator') },
      settings: workers === 0 ? common : [...common, ...citus],
    });
    cleanup.teardown(() => coordinator.stop());
    const cluster = new Cluster(programs, folder, coordinator);
    cleanup.teardown(() => Promise.all(cluster.workers.map((worker) => worker.stop())));
    if (workers === 0) return cluster;
    await coordinator.ask('CREATE EXTENSION citus');
    await coordinator.ask(`SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
    for (let count = 0; count < workers; count++) await cluster.addWorker();
    return cluster;
  }

  /** Adds a worker, which gets shards when tables are distributed, or by a rebalancing. */
  async addWorker(): Promise<PostgresNode> {
    const worker = await PostgresNode.start({
      ...{ programs: this.#programs, folder: join(this.#folder, `worker-${this.workers.length + 1}`) },
      settings: [...common, ...citus],
    });
    this.workers.push(worker);
    await worker.ask('CREATE EXTENSION citus');
    await this.coordinator.ask(`SELECT citus_add_node('127.0.0.1', ${worker.port})`);
    return worker;
  }
}
