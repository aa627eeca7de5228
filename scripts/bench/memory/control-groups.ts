/** Finds the place of a new memory cgroup: cgroups(7). */
import { join, relative } from 'node:path';

export interface Place {
  readonly version: 1 | 2;
  /** The folder of this process's cgroup. */
  readonly folder: string;
  /** The folder at which the kernel's cgroups of this kind begin. */
  readonly top: string;
}

/**
 * @param groups the text of /proc/self/cgroup
 * @param mounts the text of /proc/self/mountinfo
 * @returns undefined if the kernel has no memory cgroups here
 */
export function memoryPlace(groups: string, mounts: string): Place | undefined {
  const first = /^[0-9]+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.+)$/m.exec(groups)?.[1];
  const second = /^0::(.+)$/m.exec(groups)?.[1];
  // A machine may have both: memory then belongs to version 1.
  if (first !== undefined) return placeIn(mounts, / - cgroup \S+ (?:\S+,)?memory(?:,|$)/, first, 1);
  if (second !== undefined) return placeIn(mounts, / - cgroup2 /, second, 2);
  return undefined;
}

function placeIn(mounts: string, kind: RegExp, group: string, version: 1 | 2): Place | undefined {
  const [, , , root, top] =
    mounts
      .split('\n')
      .find((line) => kind.test(line))
      ?.split(' ') ?? [];
  if (root === undefined || top === undefined) return undefined;
  // In a container, the mount may begin below the top of the kernel's tree.
  const below = relative(root, group);
  return { version, top, folder: below.startsWith('..') ? top : join(top, below) };
}
