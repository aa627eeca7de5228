import { mkdtemp, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Cleanup } from '../cleanup.js';
import type { Command } from '../server.js';
import { memoryPlace, type Place } from './control-groups.js';

/** The files of both versions (Linux: admin-guide/cgroup-v1/memory.rst, admin-guide/cgroup-v2.rst). */
const files = {
  1: { limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes', kills: 'memory.oom_control' },
  2: { limit: 'memory.max', peak: 'memory.peak', kills: 'memory.events' },
};

/** Version 1 counts socket buffers only if they have a limit, and apart. */
const sockets = { limit: 'memory.kmem.tcp.limit_in_bytes', peak: 'memory.kmem.tcp.max_usage_in_bytes' };

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
    await rmdir(this.#folder).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  async #limit(bytes: number): Promise<void> {
    await writeFile(this.#path(files[this.#version].limit), String(bytes));
    if (this.#version === 2) return this.#limitIfCounted('memory.swap.max', 0);
    await this.#limitIfCounted('memory.memsw.limit_in_bytes', bytes);
    await this.#limitIfCounted(sockets.limit, bytes);
  }

  /** A kernel that does not count this has no such file. */
  async #limitIfCounted(name: string, bytes: number): Promise<void> {
    await writeFile(this.#path(name), String(bytes), { flag: 'r+' }).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

/** In version 2, only a cgroup that hands the memory controller down can be a parent, and has no processes. */
async function parentOf({ version, folder, top }: Place): Promise<string> {
  if (version === 1) return folder;
  for (let parent = folder; parent.startsWith(top); parent = dirname(parent)) {
    const controllers = await readFile(join(parent, 'cgroup.subtree_control'), 'utf8');
    if (controllers.split(/\s/).includes('memory')) return parent;
  }
  throw new NoMemoryGroupError(`No cgroup above ${folder} hands the memory controller down.`);
}
