import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { events } from '../events.js';

/** One more than `most` is closed at once. */
export function watchOpenConnections(server: Server, most = Number.POSITIVE_INFINITY): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.maxConnections = most;
  server.on('drop', () => events.emit('connectionCut', 'too many'));
  server.on('connection', (socket) => {
    open.add(socket);
    events.emit('connections', open.size);
    socket.once('close', () => {
      open.delete(socket);
      events.emit('connections', open.size);
    });
  });
  return open;
}
