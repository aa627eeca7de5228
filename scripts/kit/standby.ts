import { execFile } from 'node:child_process';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Cluster } from '../../src/embedded-postgres/cluster.js';

/**
 * Makes a hot standby that streams from a cluster. That cluster must not have run yet: until then, its files
 * are their own backup.
 *
 * @param leader the URL of the cluster, and the folder that it was opened with
 * @param folder the folder of the standby
 * @returns the standby, which does not run yet: start it after the leader
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
  const data = join(folder, 'postgres');
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`);
  await writeFile(join(data, 'standby.signal'), '');
  return Cluster.open(folder);
}
