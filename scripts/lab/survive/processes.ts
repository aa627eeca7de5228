import { readFile } from 'node:fs/promises';

/** Whether the process is there; one that has ended, and nobody has waited for, is not. */
export async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) Z /.test(status);
}

/** The processes that it has started, and that run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const pids = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return pids.trim().split(' ').filter(Boolean).map(Number);
}

/** A process that has ended needs no signal. */
export function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // As process.kill() documents it.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
