import { readFile } from 'node:fs/promises';

/** Whether the process is there; one that has ended, and nobody has waited for, is not. */
export async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) Z /.test(status);
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
