/** A coordinator and workers, or one PostgreSQL without Citus to compare them with. */
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Cleanup } from '../../kit/cleanup.js';
import { account, PostgresNode } from './node.js';

/** A short path: sockets are not used, but initdb tests them. */
const temporaryFolder = '/tmp';
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
  static async start(cleanup: Cleanup, programs: string, workers: number): Promise<Cluster> {
    const folder = await mkdtemp(join(temporaryFolder, 'plants-citus-'));
    cleanup.add(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
    if (account.uid !== undefined) await chown(folder, account.uid, account.gid);
    const coordinator = await PostgresNode.start({
      ...{ programs, folder: join(folder, 'coordinator'), port: await freePort() },
      settings: workers === 0 ? common : [...common, ...citus],
    });
    cleanup.add(() => coordinator.stop());
    const cluster = new Cluster(programs, folder, coordinator);
    cleanup.add(() => Promise.all(cluster.workers.map((worker) => worker.stop())));
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
      ...{ port: await freePort(), settings: [...common, ...citus] },
    });
    this.workers.push(worker);
    await worker.ask('CREATE EXTENSION citus');
    await this.coordinator.ask(`SELECT citus_add_node('127.0.0.1', ${worker.port})`);
    return worker;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
