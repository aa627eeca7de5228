import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
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
  // A cluster that never ran is its own backup. Its files keep their owner.
  await promisify(execFile)('cp', ['-a', join(folder, 'data'), copy]);
  await leader.start();
  const { username, password, searchParams } = new URL(leader.url);
  const place = `user=${username} password=${password} host=${searchParams.get('host')} port=5432`;
  const data = join(copy, 'data', 'postgres');
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${place}'\n`);
  await writeFile(join(data, 'standby.signal'), '');
  const standby = await openCluster(t, copy);
  await standby.start();
  return { leader, standby };
}
