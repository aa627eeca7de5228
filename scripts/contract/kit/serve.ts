/** Makes a plain server listen on a free port until the end of a test or a command. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from './scope.js';

/** @returns its address, such as `http://127.0.0.1:40123` */
export async function serveIn(scope: Scope, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  // address() is an object for a server that listens on TCP.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
