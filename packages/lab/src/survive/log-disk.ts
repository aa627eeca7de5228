/**
 * The disk behind the standard output of the service, which can be full while no other disk is: a tmpfs
 * (small-disk.ts) with the log file, which is emptied every second.
 */
import { rm, stat, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Scope } from '../../../contract-tools/base.js';
import { makeSmallDisk } from './small-disk.js';

const diskBytes = 32 * 2 ** 20;
/** A run of hours logs gigabytes, and the disk is memory. */
const truncateMs = 1_000;
/** A program under load writes to its log within this time. */
const growMs = 5_000;
const watchMs = 10;

export class LogDisk {
  readonly file: string;
  readonly #folder: string;
  readonly #ballast: string;
  #isFull = false;
  #truncating: Promise<void> = Promise.resolve();

  private constructor(folder: string) {
    this.#folder = folder;
    this.file = join(folder, 'log');
    this.#ballast = join(folder, 'ballast');
  }

  /** @returns undefined if this process may not mount anything */
  static async make(cleanup: Scope): Promise<LogDisk | undefined> {
    const { folder, resize } = await makeSmallDisk(cleanup, diskBytes);
    if (resize === undefined) return undefined;
    const disk = new LogDisk(folder);
    await writeFile(disk.file, '');
    const timer = setInterval(() => disk.#truncate(), truncateMs);
    cleanup.teardown(() => {
      clearInterval(timer);
      return disk.#truncating;
    });
    return disk;
  }

  /**
   * Fills the disk for a time by another file. Shrinking the disk would fail whenever a line comes in
   * between.
   *
   * @throws {Error} if nothing is logged, or the disk is not full all the time
   */
  async fill(milliseconds: number): Promise<void> {
    this.#isFull = true;
    await this.#truncating;
    await this.#growing();
    await writeFile(this.#ballast, Buffer.alloc(diskBytes)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error;
    });
    await this.#checkFull();
    await pause(milliseconds);
    await this.#checkFull();
    await rm(this.#ballast);
    this.#isFull = false;
  }

  async #growing(): Promise<void> {
    const { size: before } = await stat(this.file);
    const deadline = performance.now() + growMs;
    while ((await stat(this.file)).size <= before) {
      if (performance.now() > deadline)
        throw new Error(
          `Nothing is logged within ${growMs / 1_000} s, so a full disk proves nothing: log each request.`,
        );
      await pause(watchMs);
    }
  }

  async #checkFull(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail > 0)
      throw new Error(
        `The log's disk must be full, but has ${bavail * bsize} bytes left: find out who frees them.`,
      );
  }

  #truncate(): void {
    if (this.#isFull) return;
    this.#truncating = truncate(this.file).catch((error: Error) => {
      console.error(`The log cannot be truncated, and will fill its disk: ${error.message}`);
    });
  }
}
