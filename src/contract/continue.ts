import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Requests whose client waits for `100 Continue`. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Leaves `100 Continue` to `askForBody`, because Node.js would send it at once. A refused request gets its
 * final status instead, and Node.js closes the connection, because the body may still come.
 */
export function holdContinue({ server }: FastifyInstance): void {
  server.on('checkContinue', (request, response) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** Sends `100 Continue` if the client waits for it (RFC 9110, section 10.1.1). */
export function askForBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (waiting.delete(raw)) reply.raw.writeContinue();
}
