/** Starts the PostgreSQL that the service brings along, with other settings than its own. */
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Cluster } from '../../src/embedded-postgres/cluster.js';
import type { Scope } from '../contract/kit/scope.js';
import { isAlive } from './processes.js';

type Settings = Readonly<Record<string, string | number>>;

/**
 * Starts a cluster in a folder, in which it is made if there is none, and stops it at the end of the scope.
 *
 * @param settings settings of PostgreSQL, by their names
 * @throws {EmbeddedPostgresError} if the cluster cannot be made, or does not start
 */
export async function startCluster(scope: Scope, folder: string, settings: Settings): Promise<Cluster> {
  const opening = openCluster(folder, settings);
  const starting = opening.then((cluster) => cluster.start());
  // If an interrupt comes during the start, PostgreSQL is stopped once it has started.
  scope.teardown(async () => {
    await starting.catch(() => {});
    await opening.then(
      (cluster) => cluster.stop(),
      () => {},
    );
  });
  await starting;
  return opening;
}

async function openCluster(folder: string, settings: Settings): Promise<Cluster> {
  const cluster = await Cluster.open(folder);
  await configure(folder, settings);
  return cluster;
}

/** @returns the id of the process of a cluster's postmaster; undefined if it does not run */
export async function postmasterOf(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isNaN(pid) || !(await isAlive(pid)) ? undefined : pid;
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
export async function makeStandby(
  leader: { readonly folder: string; readonly url: string },
  folder: string,
): Promise<Cluster> {
  await mkdir(folder, { recursive: true });
  // With -a, the files keep their owner, who runs the standby.
  await promisify(execFile)('cp', ['-a', join(leader.folder, 'postgres'), folder]);
  const { username, password, searchParams } = new URL(leader.url);
  const address = `user=${username} password=${password} host=${searchParams.get('host')} port=5432`;
  await configure(folder, { primary_conninfo: address });
  await writeFile(join(folder, 'postgres', 'standby.signal'), '');
  return Cluster.open(folder);
}

/** Writes settings as ALTER SYSTEM would, so that they count more than those of postgresql.conf. */
async function configure(folder: string, settings: Settings): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await appendFile(join(folder, 'postgres', 'postgresql.auto.conf'), lines.join(''));
}
