import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cleanup } from '../../kit/cleanup.js';

const run = promisify(execFile);

export const cannotFill = 'only a user who may mount a tmpfs can fill a disk without harm';

/** A folder that is a file system of its own, in memory, which can be full while nobody else's is. */
export interface SmallDisk {
  readonly folder: string;
  /** Undefined if this process may not mount anything: then it is an ordinary folder. */
  readonly resize: ((full: boolean) => Promise<void>) | undefined;
}

/** @param size in bytes */
export async function makeSmallDisk(cleanup: Cleanup, size: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'plants-survive-'));
  cleanup.add(() => rm(folder, { recursive: true, maxRetries: 10, retryDelay: 100 }));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', folder]);
  } catch {
    return { folder, resize: undefined };
  }
  // A file that is still open would keep it busy.
  cleanup.add(() => run('umount', ['--lazy', folder]));
  return {
    folder,
    async resize(full) {
      const { bsize, blocks, bfree } = await statfs(folder);
      const bytes = full ? bsize * (blocks - bfree) : size;
      await run('mount', ['-o', `remount,size=${bytes}`, folder]);
    },
  };
}
