import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { events } from '../events.js';

/** Closes connections beyond `most` at once. */
export function watchOpenConnections(server: Server, most = Number.POSITIVE_INFINITY): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  // Not maxConnections, because there are several listeners.
  server.on('connection', (socket) => {
    if (open.size >= most) {
      events.emit('connectionCut', 'too many');
      socket.destroy();
      return;
    }
    open.add(socket);
    events.emit('connections', open.size);
    socket.once('close', () => {
      open.delete(socket);
      events.emit('connections', open.size);
    });
  });
  return open;
}
