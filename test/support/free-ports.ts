import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Ports that were free a moment ago, for programs that cannot choose one themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  // A server that listens on a port has an address of this form.
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
