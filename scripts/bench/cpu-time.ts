import { readFile } from 'node:fs/promises';
import { childrenOf } from '../survive/processes.js';

/** Linux counts in hundredths of a second for every program (proc(5), sysconf(3)). */
const ticksPerSecond = 100;

/**
 * What processes have used so far, and those of their children that have ended.
 *
 * @param withChildren also those that run
 */
export async function cpuSeconds(pids: readonly number[], withChildren = false): Promise<number> {
  const children = withChildren ? (await Promise.all(pids.map(childrenOf))).flat() : [];
  const ticks = await Promise.all([...pids, ...children].map(ticksOf));
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond;
}

async function ticksOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of a program, in brackets, may hold spaces. utime, stime, cutime and cstime are fields 14 to 17.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}
