import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.js';
import { plant } from './database.js';
import { FailedLoadError, type Load, type LoadResult } from './load.js';
import { ProgramError, run } from './programs.js';

/** The INSERT of contestants that send one per request, with ids of its own for each client. */
const transaction = `
\\set id :id + 1
\\set unique :client_id * 100000000 + :id
\\set owner :unique % :owners
INSERT INTO plants (owner, id, name, tag) VALUES (:owner, :unique, '${plant.name}', '${plant.tag}');
`;

/** pgbench's clock also runs while its clients connect; its reported rate leaves that time out. */
const connectSeconds = 3;

/** Creates without HTTP: one prepared INSERT after the other on each connection. */
export async function pgbenchCreates(
  cleanup: Cleanup,
  pgbench: string,
  folder: string,
  databaseUrl: string,
  { connections, seconds, firstId, tokens }: Load,
): Promise<LoadResult> {
  const script = join(folder, 'create.sql');
  await writeFile(script, transaction);
  const output = await run(
    cleanup,
    pgbench,
    [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${connections}`,
      `--time=${seconds + connectSeconds}`,
      `--define=id=${firstId}`,
      `--define=owners=${tokens.length}`,
      `--file=${script}`,
      databaseUrl,
    ],
    { timeout: (seconds + 30) * 1000 },
  );
  const perSecond = Number(/^tps = ([0-9.]+)/m.exec(output)?.[1]);
  const failed = Number(/^number of failed transactions: ([0-9]+)/m.exec(output)?.[1] ?? 0);
  if (failed > 0) throw new FailedLoadError(`${failed} of pgbench's transactions failed.`);
  if (!(perSecond > 0)) throw new ProgramError(`pgbench does not say how fast it was:\n${output}`);
  const requests = Number(/^number of transactions actually processed: ([0-9]+)/m.exec(output)?.[1]);
  // Percentiles would need a log of each transaction, which slows pgbench down.
  return { requests, perSecond, p50: Number.NaN, p99: Number.NaN, worst: Number.NaN };
}
