import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const queues = new WeakMap<Socket, Set<ServerResponse>>();
const none: ReadonlySet<ServerResponse> = new Set();

/**
 * Closes a queued answer if the connection is lost: Node.js 20 would never release what it holds. Node.js 24
 * does (`abortOutgoing` in lib/_http_server.js).
 */
export function closeWithConnection(socket: Socket, response: ServerResponse): void {
  const queue = queues.get(socket) ?? openQueue(socket);
  queue.add(response);
  response.once('close', () => queue.delete(response));
}

export function queuedAnswers(socket: Socket): ReadonlySet<ServerResponse> {
  return queues.get(socket) ?? none;
}

function openQueue(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>();
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const response of queue) {
      if (response.destroyed) continue;
      // Undocumented: what Node.js does to the first answer (`emitCloseNT`).
      Object.assign(response, { destroyed: true, _closed: true });
      response.emit('close');
    }
  });
  return queue;
}
