/**
 * Starts embedded PostgreSQL servers that belong to one test: it may stop them, start them again, and break
 * them.
 */
import { execFile } from 'node:child_process';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { Cluster } from '../../../../embedded-postgres/index.js';
import { makeFolder } from '../../../../kit/index.js';
import { copyUnusedCluster } from '../../../../kit/postgres.js';

const clusters = new Set<Cluster>();

// `npm test` ends with Ctrl-C: then no teardown comes, and PostgreSQL is no member of the runner's process group.
process.once('SIGTERM', async () => {
  await Promise.all(Array.from(clusters, (cluster) => cluster.stop()));
  process.exit(1);
});

function stopInTheEnd(t: Test, cluster: Cluster): void {
  clusters.add(cluster);
  t.teardown(async () => {
    await cluster.stop();
    clusters.delete(cluster);
  });
}

async function openCluster(t: Test, folder: string): Promise<Cluster> {
  const data = join(folder, 'data');
  await copyUnusedCluster(data);
  const cluster = await Cluster.open(data);
  stopInTheEnd(t, cluster);
  return cluster;
}

/**
 * Starts a PostgreSQL that one test may stop and start again. It stops when the test ends.
 *
 * @throws {EmbeddedPostgresError} if it cannot start
 */
export async function startOwnPostgres(t: Test): Promise<Cluster> {
  const cluster = await openCluster(t, await makeFolder(t));
  await cluster.start();
  return cluster;
}

interface Replicated {
  readonly leader: Cluster;
  /** A hot standby, to which the leader streams. It runs. */
  readonly standby: Cluster;
}

/**
 * Starts two PostgreSQL servers of one test, a leader and its standby. They stop when the test ends.
 *
 * @throws {EmbeddedPostgresError} if one of them cannot start
 */
export async function startReplicated(t: Test): Promise<Replicated> {
  const [folder, copy] = [await makeFolder(t), await makeFolder(t)];
  const leader = await openCluster(t, folder);
  const standby = await makeStandby({ folder: join(folder, 'data'), url: leader.url }, join(copy, 'data'));
  stopInTheEnd(t, standby);
  await leader.start();
  await standby.start();
  return { leader, standby };
}

/**
 * Makes a hot standby that streams from a cluster. That cluster must not have run yet: until then, its files
 * are their own backup.
 *
 * @param leader the URL of the cluster, and the folder that it was opened with
 * @param folder the folder of the standby
 * @returns the standby, which does not run yet: start it after the leader
 * @throws {EmbeddedPostgresError} if the folder cannot hold it
 */
async function makeStandby(
  leader: { readonly folder: string; readonly url: string },
  folder: string,
): Promise<Cluster> {
  await mkdir(folder, { recursive: true });
  // With -a, the files keep their owner, who runs the standby.
  await promisify(execFile)('cp', ['-a', join(leader.folder, 'postgres'), folder]);
  const { username, password, searchParams } = new URL(leader.url);
  const address = `user=${username} password=${password} host=${searchParams.get('host')} port=5432`;
  const data = join(folder, 'postgres');
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`);
  await writeFile(join(data, 'standby.signal'), '');
  return Cluster.open(folder);
}
