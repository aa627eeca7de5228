/** The faults that `npm run citus -- survive` injects into a Citus under the load of `npm run survive`. */

import type { Random } from '../../../contract-tools/base.js';
import type { InjectedFault } from '../survive/faults/injected-fault.js';
import type { Cluster } from './cluster.js';

export const faults: readonly InjectedFault<Cluster>[] = [
  {
    name: 'a worker is killed',
    inject: async ({ workers }, random) => workers[random.below(workers.length)]?.kill(),
  },
  {
    name: 'all workers are killed',
    inject: async ({ workers }) => {
      await Promise.all(workers.map((worker) => worker.kill()));
    },
  },
  { name: 'the coordinator is killed', inject: ({ coordinator }) => coordinator.kill() },
  { name: 'a shard is moved', inject: moveShard },
  { name: 'a worker is added, and shards are rebalanced', inject: growAndRebalance },
];

async function moveShard({ coordinator, workers }: Cluster, random: Random): Promise<void> {
  const shards = await coordinator.ask<{ shard: string; port: number }>(
    'SELECT shardid::text AS shard, nodeport AS port FROM citus_shards WHERE table_name = $$plants$$::regclass',
  );
  const chosen = shards[random.below(shards.length)];
  const target = workers.find(({ port }) => port !== chosen?.port);
  if (chosen === undefined || target === undefined)
    throw new Error('A shard needs another worker to move to.');
  await coordinator.ask(
    `SELECT citus_move_shard_placement(${chosen.shard}, '127.0.0.1', ${chosen.port}, '127.0.0.1', ${target.port}, 'force_logical')`,
  );
}

async function growAndRebalance(cluster: Cluster): Promise<void> {
  await cluster.addWorker();
  await cluster.coordinator.ask('SELECT citus_rebalance_start()');
  await cluster.coordinator.ask('SELECT citus_rebalance_wait()');
}
