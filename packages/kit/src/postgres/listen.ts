/** Stands in for PostgreSQL, or for the network before it. */

import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { portOf, type Scope } from '../../../contract-tools/base.js';

/**
 * Listens on a free port until the end of a test, and then breaks what is connected.
 *
 * @param on gets each connection
 * @returns the port
 */
export async function listen(scope: Scope, on: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    on(socket);
  });
  scope.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return portOf(server);
}
