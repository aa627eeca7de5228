import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const watchMs = 10;

/** Waits until a program listens on its Unix socket. @throws if it ends before */
export async function untilItListens(child: ChildProcess, path: string): Promise<void> {
  while (!(await listens(path))) {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`${child.spawnfile} ended with ${end}.`);
    await pause(watchMs);
  }
}

async function listens(path: string): Promise<boolean> {
  const socket = connect(path);
  const taken = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return taken;
}
