/** What Linux counts in /proc. On other systems, these functions know nothing. */
import { readdir, readFile } from 'node:fs/promises';

/** USER_HZ, the unit of CPU time in /proc. It is the same on all machines that Node.js runs on (proc(5)). */
const ticksPerSecond = 100;

interface Times {
  readonly name: string;
  readonly parent: number;
  /** CPU time of the process with all its threads. */
  readonly ownSeconds: number;
  /** CPU time of its children that have ended. */
  readonly reapedSeconds: number;
}

async function timesOf(pid: number): Promise<Times | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name is in parentheses, and may itself have any character.
  const [, name = '', rest] = /^[0-9]+ \((.*)\) (.*)/s.exec(text ?? '') ?? [];
  if (rest === undefined) return undefined;
  const fields = rest.split(' ').map(Number);
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
  return {
    name,
    parent: fields[1] ?? 0,
    ownSeconds: (user + system) / ticksPerSecond,
    reapedSeconds: (childrenUser + childrenSystem) / ticksPerSecond,
  };
}

/** @returns the CPU time of a process so far; undefined if it cannot be seen from here */
export async function cpuSeconds(pid: number): Promise<number | undefined> {
  return (await timesOf(pid))?.ownSeconds;
}

/** @returns the CPU time of a process's children that have ended; NaN if it cannot be seen from here */
export async function reapedSeconds(pid: number): Promise<number> {
  return (await timesOf(pid))?.reapedSeconds ?? Number.NaN;
}

/** @returns the CPU time of these processes and all their descendants, including those that have ended */
export async function familyCpuSeconds(heads: readonly number[]): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((number) => number > 0);
  const all = new Map(await Promise.all(pids.map(async (pid) => [pid, await timesOf(pid)] as const)));
  const isFamily = (pid: number): boolean =>
    heads.includes(pid) || (pid > 0 && isFamily(all.get(pid)?.parent ?? 0));
  const family = Array.from(all).flatMap(([pid, times]) =>
    times !== undefined && isFamily(pid) ? times : [],
  );
  return family.reduce((sum, { ownSeconds, reapedSeconds }) => sum + ownSeconds + reapedSeconds, 0);
}

/**
 * Seconds of all cores since the start of the machine: all of them, and those that were not idle. The time
 * that other machines on the same host take counts as busy.
 */
export async function machineSeconds(): Promise<{ all: number; busy: number }> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const times = (/^cpu +(.*)$/m.exec(text)?.[1] ?? '')
    .split(' ')
    .map((ticks) => Number(ticks) / ticksPerSecond);
  // Interrupts are left out: no process has their time, whoever caused them.
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, , , steal = 0] = times;
  const busy = user + nice + system + steal;
  return { all: busy + idle + wait, busy };
}

/** @returns the parent of a process if both have this name, otherwise undefined */
export async function parentNamed(name: string, pid: number): Promise<number | undefined> {
  const child = await timesOf(pid);
  if (child?.name !== name) return undefined;
  return (await timesOf(child.parent))?.name === name ? child.parent : undefined;
}

/** How many connections have found a full listen queue so far, on the whole machine. */
export async function fullListenQueues(): Promise<number> {
  const text = await readFile('/proc/net/netstat', 'utf8').catch(() => '');
  const [names = [], values = []] = Array.from(text.matchAll(/^TcpExt: (.*)$/gm), ([, line = '']) =>
    line.split(' '),
  );
  return Number(values[names.indexOf('ListenOverflows')] ?? 0);
}
