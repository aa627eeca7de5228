/**
 * Asks about processes of this machine by Linux's /proc, and sends signals to them. Without /proc, no process
 * is known.
 */
import { readFile } from 'node:fs/promises';

/** Whether a process runs. One that has ended, and that nobody has waited for, does not. */
export async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) Z /.test(status);
}

/** @returns the ids of the processes that a process has started, and that still run */
export async function childrenOf(pid: number): Promise<number[]> {
  const pids = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return pids.trim().split(' ').filter(Boolean).map(Number);
}

/**
 * Sends a signal, unless the process has ended.
 *
 * @throws {Error} with the code EPERM, if the process belongs to somebody else
 */
export function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // process.kill() throws a system error, as its documentation says.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
