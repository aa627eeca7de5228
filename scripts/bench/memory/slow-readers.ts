import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from './loads.js';
import { listRequest, openPaused } from './raw-connections.js';

/** In a second, each connection takes its bytes so many times. */
const readsPerSecond = 5;

interface Readers {
  readonly connections: number;
  /** Of each connection. */
  readonly bytesPerSecond: number;
}

/**
 * Clients that ask for a whole list, and read it slowly. Those that are refused by too many lists stay idle.
 *
 * @param finish runs at the end, while they still have their connections
 */
export async function readSlowly<Result>(
  { address, tokens, seconds }: Target,
  { connections, bytesPerSecond }: Readers,
  finish: () => Promise<Result>,
): Promise<Result> {
  const sockets = openPaused(address, connections);
  for (const [number, socket] of sockets.entries())
    socket.write(listRequest(address, tokens[number % tokens.length]));
  for (let reads = 0; reads < seconds * readsPerSecond; reads++) {
    await pause(1_000 / readsPerSecond);
    for (const socket of sockets) socket.read(bytesPerSecond / readsPerSecond);
  }
  return finish().finally(() => {
    for (const socket of sockets) socket.destroy();
  });
}
