/** Makes a plain server listen on a free port until the end of a test or a command. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import type { Scope } from './scope.js';

/** @returns its address, such as `http://127.0.0.1:40123` */
export async function serveIn(scope: Scope, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

/** @returns the port of a server that listens on TCP */
export function portOf(server: NetServer): number {
  // address() is a text for a server on a Unix socket only.
  return (server.address() as AddressInfo).port;
}
