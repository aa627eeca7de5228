import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Requests whose client waits for `100 Continue`, and does not send its body before. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Node.js would send `100 Continue` by itself. Here, `askForBody` does, so that a refused request gets its
 * status at once.
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

/** @returns whether the client waits for `100 Continue`, and has not sent its body */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.has(request);
}
