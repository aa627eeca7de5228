import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type ListenOptions, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** With the first, sixteen. */
const others = 15;

/* c8 ignore start -- Node.js 20, whose coverage is counted, cannot share a port. */
/** SO_REUSEPORT, which Node.js knows since 22.12; only Linux gives each listener a share. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canSharePort = process.platform === 'linux' && (major > 22 || (major === 22 && minor >= 12));

/** For `listen`. Node.js 20's types do not know it. */
export const sharedPort: object = canSharePort ? { reusePort: true } : {};

/**
 * Opens more listeners on the server's port: each accepts one connection in a tick of the event loop
 * (libuv#3696), so that many new connections would wait for as many ticks.
 */
export async function listenMore(app: FastifyInstance, options: ListenOptions): Promise<void> {
  if (!canSharePort) return;
  // A server that listens on TCP has such an address.
  const { port } = app.server.address() as AddressInfo;
  const servers: Server[] = [];
  // Fastify takes no hooks any more. A server waits for connections that itself accepted.
  const close = app.server.close.bind(app.server);
  app.server.close = (callback) => {
    const closed = servers.map((server) => once(server.close(), 'close'));
    return close((error) => void Promise.all(closed).then(() => callback?.(error)));
  };
  for (let count = 0; count < others; count++) {
    // As node:http does.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.on('connection', (socket) => app.server.emit('connection', socket));
    server.listen({ ...options, port, ...sharedPort });
    await once(server, 'listening');
    servers.push(server);
  }
}
/* c8 ignore stop */
