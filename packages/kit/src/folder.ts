/** Makes temporary folders, which are removed at the end of a test or a command. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../../contract-tools/base.js';

/** The path of a socket must be short (unix(7)), but TMPDIR may be long. */
export const temporaryFolder = tmpdir().length < 50 ? tmpdir() : '/tmp';

/**
 * Makes a folder that is removed at the end of the scope.
 *
 * @param under the folder to make it in
 */
export async function makeFolder(scope: Scope, under = temporaryFolder): Promise<string> {
  const folder = await mkdtemp(join(under, 'plant-store-'));
  // The removal is retried, because a PostgreSQL that is just ending could still add a file.
  scope.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}
