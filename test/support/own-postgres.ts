import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Cluster } from '../../src/embedded-postgres/cluster.js';

/** Starts a PostgreSQL that one test may stop and start again. */
export async function startOwnPostgres(t: Test): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'plants-'));
  const cluster = await Cluster.open(join(folder, 'data'));
  await cluster.start();
  t.teardown(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });
  return cluster;
}
