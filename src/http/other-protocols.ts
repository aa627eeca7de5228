import { type IncomingMessage, METHODS, type Server, ServerResponse } from 'node:http';

const methods = new Set(METHODS);

/** Node.js's parser also reads RTSP, whose methods Fastify takes for a bug. */
export function isOfOtherProtocol({ method }: IncomingMessage): boolean {
  // Always set on a server.
  return !methods.has(method as string);
}

export function otherProtocolError(): Error {
  return Object.assign(new Error('not a method of HTTP'), { code: 'HPE_INVALID_METHOD' });
}

/** CONNECT (RFC 9110, section 9.3.6). Node.js would close without an answer. */
export function refuseTunnels(server: Server): void {
  server.on('connect', ({ socket }) => {
    // Node.js has removed its own. Without these, a reset ends the process, and an earlier answer stalls.
    socket.on('error', () => {});
    socket.on('drain', () => {
      // Undocumented: the answer in progress.
      const answer: unknown = Reflect.get(socket, '_httpMessage');
      if (answer instanceof ServerResponse) answer.emit('drain');
    });
    server.emit('clientError', Object.assign(new Error('CONNECT'), { code: 'TUNNEL_REFUSED' }), socket);
  });
}
