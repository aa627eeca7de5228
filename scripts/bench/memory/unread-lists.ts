import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from './loads.js';
import { listRequest, openPaused } from './raw-connections.js';

interface Lists {
  readonly connections: number;
  /** Of each connection. */
  readonly lists: number;
  readonly limit: number;
}

/** Clients that ask for lists, and read nothing. */
export async function leaveUnread(
  { address, tokens, seconds }: Target,
  { connections, lists, limit }: Lists,
): Promise<number> {
  const sockets = openPaused(address, connections);
  for (const [number, socket] of sockets.entries())
    socket.write(listRequest(address, tokens[number % tokens.length], `?limit=${limit}`).repeat(lists));
  await pause(seconds * 1_000);
  for (const socket of sockets) socket.destroy();
  return Number.NaN;
}
