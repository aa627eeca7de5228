/** The CPU time that Linux counts in /proc. On other systems, it is 0. */
import { readdir, readFile } from 'node:fs/promises';

/** USER_HZ, the unit of CPU time in /proc. It is the same on all machines that Node.js runs on (proc(5)). */
const ticksPerSecond = 100;

interface Times {
  readonly parent: number;
  /** The CPU time of the process with all its threads, and of its children that have ended. */
  readonly seconds: number;
}

async function timesOf(pid: number): Promise<Times | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name is in parentheses, and may itself have any character.
  const [, rest] = /^[0-9]+ \(.*\) (.*)/s.exec(text) ?? [];
  if (rest === undefined) return undefined;
  const fields = rest.split(' ').map(Number);
  const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0);
  return { parent: fields[1] ?? 0, seconds: ticks / ticksPerSecond };
}

/**
 * @param heads the ids of processes
 * @returns the CPU time in seconds of these processes and all their descendants, including those that have
 *   ended
 */
export async function familyCpuSeconds(heads: readonly number[]): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((number) => number > 0);
  const all = new Map(await Promise.all(pids.map(async (pid) => [pid, await timesOf(pid)] as const)));
  const isFamily = (pid: number): boolean =>
    heads.includes(pid) || (pid > 0 && isFamily(all.get(pid)?.parent ?? 0));
  return Array.from(all).reduce(
    (sum, [pid, times]) => (times !== undefined && isFamily(pid) ? sum + times.seconds : sum),
    0,
  );
}
