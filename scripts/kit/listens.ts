import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const watchMs = 10;

/** Waits until a program listens there. @throws if it ends before */
export async function untilItListens(child: ChildProcess, place: NetConnectOpts): Promise<void> {
  while (!(await listens(place))) {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`${child.spawnfile} ended with ${end}.`);
    await pause(watchMs);
  }
}

async function listens(place: NetConnectOpts): Promise<boolean> {
  const socket = connect(place);
  const taken = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return taken;
}
