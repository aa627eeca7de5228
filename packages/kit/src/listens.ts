/** Waits until a program that was started listens at an address. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const watchMs = 10;

/** @throws {Error} if the program ends before. It waits for as long as the program runs */
export async function untilItListens(child: ChildProcess, address: NetConnectOpts): Promise<void> {
  while (!(await listens(address))) {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`${child.spawnfile} ended with ${end}.`);
    await pause(watchMs);
  }
}

async function listens(address: NetConnectOpts): Promise<boolean> {
  const socket = connect(address);
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}
