/**
 * Runs the load and the check of `npm run survive` while workers and the coordinator are killed, and shards
 * moved.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { readContract } from '../../../src/contract/document/document.js';
import { contractFile } from '../../../src/project.js';
import { describe } from '../../contract/check/description.js';
import { Random } from '../../kit/random.js';
import type { Scope } from '../../kit/scope.js';
import type { Command } from '../../kit/server.js';
import { calm, type FaultResult, injectFault } from '../survive/fault-injection.js';
import { clients, Load } from '../survive/load.js';
import { Outages } from '../survive/outages.js';
import type { Report } from '../survive/survive.js';
import type { Cluster } from './cluster.js';
import { startService } from './service.js';

interface Fault {
  readonly name: string;
  inject(cluster: Cluster, random: Random): Promise<void>;
}

const calmMs = 1_000;
const ownersPerSecond = 20;

const faults: readonly Fault[] = [
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

export async function survive(
  cleanup: Scope,
  {
    command,
    cluster,
    seconds,
    seed,
    only,
    onProgress,
  }: {
    readonly command: Command;
    readonly cluster: Cluster;
    readonly seconds: number;
    readonly seed: number;
    readonly only: readonly string[];
    readonly onProgress: (text: string) => void;
  },
): Promise<Report> {
  const description = describe(await readContract(contractFile));
  const owners = 100 + ownersPerSecond * seconds;
  const { server, tokens } = await startService(cleanup, command, cluster.coordinator.url, owners);
  const outages = new Outages(clients);
  const load = new Load({ url: new URL(server.address), description, seed, tokens, outages });
  const chosen = faults.filter(({ name }) => only.length === 0 || only.some((text) => name.includes(text)));
  const random = new Random(seed);
  const faultResults: FaultResult[] = [];
  const begin = performance.now();
  load.start();
  outages.lifted();
  await calm(outages);
  while (performance.now() - begin < 1_000 * seconds) {
    for (const fault of random.shuffled(chosen)) {
      if (performance.now() - begin >= 1_000 * seconds) break;
      onProgress(`${load.counts.writes} writes: ${fault.name}`);
      faultResults.push(await injectFault(fault, () => fault.inject(cluster, random), outages, load.counts));
      await pause(calmMs);
    }
  }
  await load.stop();
  await load.checkInTheEnd();
  const { counts, findings } = load;
  const elapsed = (performance.now() - begin) / 1_000;
  return { seed, seconds: elapsed, faultResults, skipped: [], counts, owners: load.owners, findings };
}
