import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from './loads.js';
import { listRequest, openPaused } from './raw-connections.js';

interface Lists {
  readonly connections: number;
  /** Of each connection. */
  readonly lists: number;
  readonly query: string;
}

/** Clients that ask for lists, and read nothing. */
export async function leaveUnread(
  { address, tokens, seconds }: Target,
  { connections, lists, query }: Lists,
): Promise<void> {
  const sockets = openPaused(address, connections);
  for (const [number, socket] of sockets.entries())
    socket.write(listRequest(address, tokens[number % tokens.length], query).repeat(lists));
  await pause(seconds * 1_000);
  for (const socket of sockets) socket.destroy();
}
