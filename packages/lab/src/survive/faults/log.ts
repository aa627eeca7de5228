/** Faults of the service's log: the disk behind its standard output is full. */

import { cannotFill } from '../small-disk.js';
import type { InjectedFault } from './injected-fault.js';

const fullMs = 2_000;

export const logFaults: readonly InjectedFault[] = [
  {
    name: `the disk behind node's log is full for ${fullMs / 1_000} s`,
    isUnnoticed: true,
    missing: ({ logDisk }) => (logDisk === undefined ? cannotFill : undefined),
    inject: async ({ logDisk }) => logDisk?.fill(fullMs),
  },
];
