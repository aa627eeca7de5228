import { type IncomingMessage, METHODS, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const methods = new Set(METHODS);

/** Node.js's parser also reads RTSP, whose methods Fastify takes for a bug. */
export function isOfOtherProtocol({ method }: IncomingMessage): boolean {
  // Always set on a server.
  return !methods.has(method as string);
}

export function otherProtocolError(): Error {
  return Object.assign(new Error('not a method of HTTP'), { code: 'HPE_INVALID_METHOD' });
}

/** Node.js has removed its listeners. Without these, a reset ends the process, and earlier answers stall. */
export function listenInstead(socket: Socket): () => void {
  const onError = () => {};
  const onDrain = () => {
    // Undocumented: the answer in progress.
    const answer: unknown = Reflect.get(socket, '_httpMessage');
    if (answer instanceof ServerResponse) answer.emit('drain');
  };
  socket.on('error', onError).on('drain', onDrain);
  return () => socket.off('error', onError).off('drain', onDrain);
}

/** CONNECT (RFC 9110, section 9.3.6). Node.js would close without an answer. */
export function refuseTunnels(server: Server): void {
  server.on('connect', ({ socket }) => {
    listenInstead(socket);
    server.emit('clientError', Object.assign(new Error('CONNECT'), { code: 'TUNNEL_REFUSED' }), socket);
  });
}
