import type { FastifyInstance } from 'fastify';
import { makeRequestId, requestIdOf } from '../log/request-id.js';

/** Plants are private. Public resources have their own Cache-Control. */
export function answerHeaders(requestId = makeRequestId()) {
  return { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': requestId };
}

export function addAnswerHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(answerHeaders(requestIdOf(request)));
    done();
  });
}
