import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const waiting = new WeakSet<IncomingMessage>();

/** Leaves `100 Continue` to `askForBody`. A refused request gets its final status instead. */
export function holdContinue({ server }: FastifyInstance): void {
  server.on('checkContinue', (request, response) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** RFC 9110, section 10.1.1. */
export function askForBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (waiting.delete(raw)) reply.raw.writeContinue();
}

/** Whether the client does not send the body yet. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.has(request);
}
