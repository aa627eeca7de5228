import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Requests whose client sends the body once it is asked to. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Leaves `100 Continue` to the function below: Node.js would send it at once. A request that is refused gets
 * its final status in its place, and Node.js closes the connection, for the body may follow or not.
 */
export function holdContinue({ server }: FastifyInstance): void {
  server.on('checkContinue', (request, response) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** RFC 9110, section 10.1.1: asks for the body of a request that expects to be asked. */
export function askForBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (waiting.delete(raw)) reply.raw.writeContinue();
}
