/** The disk behind node's standard output, which can be full while nobody else's is. */
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../bench/cleanup.js';
import { makeSmallDisk } from './small-disk.js';

const size = 32 * 2 ** 20;
/** A run of hours logs gigabytes, and the disk is memory. */
const truncateMs = 1_000;

export class LogDisk {
  readonly file: string;
  readonly #ballast: string;
  #isFull = false;

  private constructor(folder: string) {
    this.file = join(folder, 'log');
    this.#ballast = join(folder, 'ballast');
  }

  /** @returns undefined if this process may not mount anything */
  static async make(cleanup: Cleanup): Promise<LogDisk | undefined> {
    const { folder, resize } = await makeSmallDisk(cleanup, size);
    if (resize === undefined) return undefined;
    const disk = new LogDisk(folder);
    await writeFile(disk.file, '');
    const timer = setInterval(() => void disk.#truncate(), truncateMs);
    cleanup.add(() => clearInterval(timer));
    return disk;
  }

  /** Another file takes what is left: shrinking the disk would fail whenever a line comes in between. */
  async fill(milliseconds: number): Promise<void> {
    this.#isFull = true;
    await writeFile(this.#ballast, Buffer.alloc(size)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error;
    });
    await pause(milliseconds);
    await rm(this.#ballast);
    this.#isFull = false;
  }

  async #truncate(): Promise<void> {
    if (!this.#isFull) await truncate(this.file);
  }
}
