/**
 * Finds ports for programs that are started again at the same address. Linux gives higher ports to outgoing
 * connections, so a port of this range is still free when the program comes back.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const range = [10_000, 32_000] as const;

/** @returns different ports of 127.0.0.1 that nobody listens on */
export async function fixedPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(...range);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (free) await once(server.close(), 'close');
  return free;
}
