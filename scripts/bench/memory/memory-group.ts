import { mkdtemp, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../cleanup.js';
import type { Command } from '../server.js';
import { memoryPlace, type Place } from './control-groups.js';

/** The files of both versions (Linux: admin-guide/cgroup-v1/memory.rst, admin-guide/cgroup-v2.rst). */
const files = {
  1: { limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes', kills: 'memory.oom_control' },
  2: { limit: 'memory.max', peak: 'memory.peak', kills: 'memory.events' },
};

/** Of version 1: memory and swap together. */
const swapLimit = 'memory.memsw.limit_in_bytes';

/** Version 1 counts socket buffers only if they have a limit, and apart. */
const sockets = { limit: 'memory.kmem.tcp.limit_in_bytes', peak: 'memory.kmem.tcp.max_usage_in_bytes' };

/** The kernel takes a moment to clear a cgroup whose processes have ended. */
const removal = { tries: 10, pauseMs: 100 };

/** This machine cannot have a memory cgroup, or this user may not make one. */
export class NoMemoryGroupError extends Error {
  override readonly name = 'NoMemoryGroupError';
}

/** A memory cgroup with a limit and without swap. Its processes are those of `command`. */
export class MemoryGroup {
  readonly #folder: string;
  readonly #version: Place['version'];

  private constructor(folder: string, version: Place['version']) {
    this.#folder = folder;
    this.#version = version;
  }

  /** @throws {NoMemoryGroupError} */
  static async open(cleanup: Cleanup, bytes: number): Promise<MemoryGroup> {
    const [groups, mounts] = await Promise.all(
      ['cgroup', 'mountinfo'].map((name) => readFile(`/proc/self/${name}`, 'utf8').catch(() => '')),
    );
    const place = memoryPlace(groups ?? '', mounts ?? '');
    if (place === undefined) throw new NoMemoryGroupError('This machine has no memory cgroups.');
    try {
      // Below our own cgroup, so that its limits hold, too.
      const folder = await mkdtemp(join(await parentOf(place), 'plant-store-bench-'));
      const group = new MemoryGroup(folder, place.version);
      cleanup.add(() => group.remove());
      await group.#limit(bytes);
      return group;
    } catch (error) {
      if (!(error instanceof Error) || error instanceof NoMemoryGroupError) throw error;
      throw new NoMemoryGroupError(
        `Only root can make a memory cgroup, with writable cgroups: ${error.message}`,
      );
    }
  }

  /** The command, in the cgroup from its first instruction: V8 reads the limit when it starts. */
  command({ file, parameters }: Command): Command {
    const join = 'echo $$ > "$0" && exec "$@"';
    return { file: 'sh', parameters: ['-c', join, this.#path('cgroup.procs'), file, ...parameters] };
  }

  /** Bytes, with the kernel's own memory and the page cache of the processes. */
  async peak(): Promise<number> {
    return Number(await readFile(this.#path(files[this.#version].peak), 'utf8'));
  }

  /** Bytes of the kernel's socket buffers. Version 2 counts them in `peak`. */
  async socketsPeak(): Promise<number> {
    if (this.#version === 2) return 0;
    const text = await readFile(this.#path(sockets.peak), 'utf8').catch(() => '0');
    return Number(text);
  }

  /** How many processes the kernel ended because the limit was reached. */
  async kills(): Promise<number> {
    const text = await readFile(this.#path(files[this.#version].kills), 'utf8');
    return Number(/^oom_kill ([0-9]+)$/m.exec(text)?.[1]);
  }

  /** Once its processes have ended. */
  async remove(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await rmdir(this.#folder);
      } catch (error) {
        const code = codeOf(error);
        if (code === 'ENOENT') return;
        if (code !== 'EBUSY' || tries === removal.tries) throw error;
      }
      await pause(removal.pauseMs);
    }
  }

  async #limit(bytes: number): Promise<void> {
    await writeFile(this.#path(files[this.#version].limit), String(bytes));
    const swap =
      this.#version === 2 ? { name: 'memory.swap.max', most: 0 } : { name: swapLimit, most: bytes };
    if (!(await this.#limitIfCounted(swap.name, swap.most)) && (await hasSwap())) {
      throw new NoMemoryGroupError(
        'This kernel cannot limit swap (swapaccount=1): switch swap off (swapoff -a).',
      );
    }
    if (this.#version === 1) await this.#limitIfCounted(sockets.limit, bytes);
  }

  /** @returns false if the kernel does not count this, and so has no such file */
  async #limitIfCounted(name: string, bytes: number): Promise<boolean> {
    try {
      await writeFile(this.#path(name), String(bytes), { flag: 'r+' });
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

/** The first line of /proc/swaps is its head. */
async function hasSwap(): Promise<boolean> {
  const text = await readFile('/proc/swaps', 'utf8').catch(() => '');
  return text.trim().split('\n').length > 1;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * In version 2, only a cgroup that hands the memory controller down can be a parent, and has no processes.
 */
async function parentOf({ version, folder, top }: Place): Promise<string> {
  if (version === 1) return folder;
  for (let parent = folder; parent.startsWith(top); parent = dirname(parent)) {
    const controllers = await readFile(join(parent, 'cgroup.subtree_control'), 'utf8');
    if (controllers.split(/\s/).includes('memory')) return parent;
  }
  throw new NoMemoryGroupError(`No cgroup above ${folder} hands the memory controller down.`);
}
