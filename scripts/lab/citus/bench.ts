/**
 * Compares one PostgreSQL with Citus under the same load, also by the CPU that each process takes for a
 * request.
 */
import { Cleanup } from '../../kit/cleanup.js';
import { makeFolder } from '../../kit/folder.js';
import { cpuSeconds, reapedSeconds } from '../../kit/kernel.js';
import { type Load, unusedIds } from '../../kit/load.js';
import type { Command } from '../../kit/server.js';
import { wrkLoad } from '../../kit/wrk.js';
import { Cluster } from './cluster.js';
import { startService } from './service.js';

export interface BenchOptions {
  readonly command: Command;
  readonly programs: string;
  /** The numbers of workers that are measured. 0 means a plain PostgreSQL. */
  readonly workers: readonly number[];
  readonly connections: readonly number[];
  readonly owners: number;
  readonly seconds: number;
  readonly rounds: number;
}

export interface Row {
  readonly workers: number;
  readonly connections: number;
  readonly kind: Load['kind'];
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The CPU time of a request in microseconds: that of wrk, the service, the coordinator and all workers. */
  readonly cpu: readonly number[];
}

const warmUpSeconds = 3;
const kinds = ['create', 'page', 'delete'] as const;

export async function bench(options: BenchOptions, onRow: (row: Row) => void): Promise<void> {
  for (let round = 0; round < options.rounds; round++) {
    for (const workers of options.workers) {
      const cleanup = new Cleanup();
      try {
        for (const row of await measure(cleanup, workers, options)) onRow(row);
      } finally {
        await cleanup.run();
      }
    }
  }
}

async function measure(
  cleanup: Cleanup,
  workers: number,
  { command, programs, connections, owners, seconds }: BenchOptions,
): Promise<Row[]> {
  const cluster = await Cluster.start(cleanup, programs, workers);
  const { server, tokens } = await startService(cleanup, command, cluster.coordinator.url, owners);
  const send = wrkLoad(cleanup, 'wrk', await makeFolder(cleanup));
  const cpu = async () => [
    await reapedSeconds(process.pid),
    (await cpuSeconds(server.pid ?? 0)) ?? Number.NaN,
    await cluster.coordinator.cpuSeconds(),
    (await Promise.all(cluster.workers.map((worker) => worker.cpuSeconds()))).reduce((a, b) => a + b, 0),
  ];
  const rows: Row[] = [];
  await send(server.address, {
    ...{ kind: 'create', connections: 64, seconds: warmUpSeconds, firstId: unusedIds(), tokens },
  });
  for (const count of connections) {
    const firstId = unusedIds();
    for (const kind of kinds) {
      // Deletes take the plants that were just created, so they must end before none is left.
      const length = kind === 'delete' ? 1 : seconds;
      const before = await cpu();
      const result = await send(server.address, {
        kind,
        connections: count,
        seconds: length,
        firstId,
        tokens,
      });
      const after = await cpu();
      const perRequest = after.map(
        (value, at) => ((value - (before[at] ?? 0)) / (result.perSecond * length)) * 1e6,
      );
      rows.push({ workers, connections: count, kind, ...result, cpu: perRequest });
    }
  }
  return rows;
}
