import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { makeStandby } from '../../scripts/kit/standby.js';
import { Cluster } from '../../src/embedded-postgres/cluster.js';

async function makeFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plants-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

async function openCluster(t: Test, folder: string): Promise<Cluster> {
  const cluster = await Cluster.open(join(folder, 'data'));
  t.teardown(() => cluster.stop());
  return cluster;
}

/** Starts a PostgreSQL that one test may stop and start again. */
export async function startOwnPostgres(t: Test): Promise<Cluster> {
  const cluster = await openCluster(t, await makeFolder(t));
  await cluster.start();
  return cluster;
}

export interface Replicated {
  readonly leader: Cluster;
  /** A hot standby, to which the leader streams. It runs. */
  readonly standby: Cluster;
}

/** Two PostgreSQL servers of one test. */
export async function startReplicated(t: Test): Promise<Replicated> {
  const [folder, copy] = [await makeFolder(t), await makeFolder(t)];
  const leader = await openCluster(t, folder);
  const standby = await makeStandby({ folder: join(folder, 'data'), url: leader.url }, join(copy, 'data'));
  t.teardown(() => standby.stop());
  await leader.start();
  await standby.start();
  return { leader, standby };
}
