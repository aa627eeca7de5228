/**
 * The PostgreSQL that all test files share. A run makes and drops some two hundred databases of seven
 * megabytes. On a disk, that took a tenth of the run in the kernel alone, so they lie in memory where the
 * machine offers it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, statfsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Cluster } from '../../../embedded-postgres/index.js';
import { projectFolder } from '../project.js';

/**
 * Linux keeps the files of this folder in memory (shm_overview(7)). A container may have only 64 MiB there.
 */
const memoryFolder = '/dev/shm';
/**
 * PostgreSQL keeps up to 1 GiB of its log (max_wal_size), and the databases of the files that run together.
 */
const neededBytes = 4 * 1024 ** 3;

/**
 * A copy of the project has a link to this folder (packages/kit/src/project-copy.ts). The tests of the copy use the
 * PostgreSQL of the project, so its name in memory comes from where the folder is, not from the copy.
 */
const runFolder = join(projectFolder, '.tap');
mkdirSync(runFolder, { recursive: true });
const nameOfRun = createHash('sha256').update(realpathSync(runFolder)).digest('hex').slice(0, 12);

const diskCluster = join(runFolder, 'plants');
const memoryCluster = join(memoryFolder, `plant-store-test-${userInfo().uid}-${nameOfRun}`);

/** One folder for all processes of a run: what is free may change while they start. */
export const testClusterFolder =
  existsSync(memoryCluster) || freeBytes(memoryFolder) >= neededBytes ? memoryCluster : diskCluster;

/** A cluster that never ran: what initdb makes in a second is copied in a twentieth of that. */
const unusedCluster = `${testClusterFolder}-unused`;

/**
 * Makes the PostgreSQL that all files share, and one to copy, for the tests that need their own.
 *
 * @throws {EmbeddedPostgresError} if the folder or PostgreSQL's programs cannot be used
 */
export async function makeTestClusters(): Promise<void> {
  await Cluster.open(unusedCluster);
  await copyUnusedCluster(testClusterFolder);
}

/** Puts a copy into a folder, unless it has a cluster already, or `npm test` has not made the one to copy. */
export async function copyUnusedCluster(folder: string): Promise<void> {
  const data = join(unusedCluster, 'postgres');
  if (!existsSync(data) || existsSync(join(folder, 'postgres'))) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // With -a, the files keep their owner, who runs PostgreSQL.
  await promisify(execFile)('cp', ['-a', data, folder]);
}

/**
 * Opens the PostgreSQL that all files share, in which each makes databases of its own. It need not run.
 *
 * @throws {EmbeddedPostgresError} if the folder or PostgreSQL's programs cannot be used
 */
export function openTestCluster(): Promise<Cluster> {
  return Cluster.open(testClusterFolder);
}

/** Gives the memory back. PostgreSQL must have stopped. */
export async function removeMemoryCluster(): Promise<void> {
  for (const folder of [memoryCluster, `${memoryCluster}-unused`])
    await rm(folder, { recursive: true, force: true });
}

function freeBytes(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
