/**
 * Makes a folder with a file system of its own, in memory, which can be full while no other disk is. That
 * needs the right to mount; without it, the folder is an ordinary one.
 */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Scope } from '../../../contract-tools/base.js';
import { makeFolder } from '../../../kit/index.js';

const run = promisify(execFile);

/** This is why a fault that fills a disk is skipped. */
export const cannotFill = 'only a user who may mount a tmpfs can fill a disk without harm';

export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk, or gives its space back; undefined if it is an ordinary folder. */
  readonly resize: ((full: boolean) => Promise<void>) | undefined;
}

export async function makeSmallDisk(cleanup: Scope, bytes: number): Promise<SmallDisk> {
  const folder = await makeFolder(cleanup);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=755`, 'tmpfs', folder]);
  } catch {
    return { folder, resize: undefined };
  }
  // With --lazy, a file that is still open does not keep the file system mounted.
  cleanup.teardown(() => run('umount', ['--lazy', folder]));
  return {
    folder,
    async resize(full) {
      const { bsize, blocks, bfree } = await statfs(folder);
      const newBytes = full ? bsize * (blocks - bfree) : bytes;
      await run('mount', ['-o', `remount,size=${newBytes}`, folder]);
    },
  };
}
